import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ModelFileError } from '#model/modelErrors.ts'
import { type JudgeCalibration, judgeCalibrationSchema } from './judgeCalibration.ts'

const judgeConfigSchema = z.looseObject({ waggle: z.looseObject({ calibration: judgeCalibrationSchema }) })

/** The part of a judge's `config.json` that is Waggle's, as `readJudgeCalibration` reads it. */
export function judgeConfigPart(calibration: JudgeCalibration): z.input<typeof judgeConfigSchema> {
  return { waggle: { calibration } }
}

/**
 * The calibration of a judge model, from its `config.json`.
 *
 * @throws {ModelFileError} if the file is missing, is not JSON, or holds no calibration.
 */
export async function readJudgeCalibration(folder: string): Promise<JudgeCalibration> {
  const path = join(folder, 'config.json')
  try {
    return judgeConfigSchema.parse(JSON.parse(await readFile(path, 'utf8'))).waggle.calibration
  } catch (cause) {
    throw new ModelFileError(path, 'waggle.calibration', 'is missing or not valid', {
      hint: 'Use the judge model that `npm run starter` made.',
      cause,
    })
  }
}
