import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { Tokenizer } from '#model/tokenizers/tokenizer.ts'
import type { SequenceScorer } from '../../environment.ts'
import { type BackTranslationJudge, createJudge } from './createJudge.ts'
import { type JudgeCalibration, judgeCalibrationSchema } from './judgeCalibration.ts'

/**
 * Reads what a judge by back-translation needs besides its weights, and returns how to open it with these.
 *
 * @param folder - of the judge's model.
 * @throws {ModelFileError} if a file of the model is missing or damaged.
 */
export async function readBackTranslation(folder: string): Promise<(scorer: SequenceScorer) => BackTranslationJudge> {
  const { maxPositions: maxTokens } = await readDecoderConfig(folder)
  const tokenizer = await Tokenizer.read(join(folder, 'tokenizer.json'))
  const calibration = await readJudgeCalibration(folder)
  return scorer => createJudge({ scorer, tokenizer, calibration, maxTokens })
}

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
