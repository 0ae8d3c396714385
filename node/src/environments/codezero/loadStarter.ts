import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashWeights, readWeights } from '#model/decoder/weights.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { Tokenizer } from '#model/tokenizers/tokenizer.ts'
import type { Environment, SequenceScorer } from '../environment.ts'
import { codeZero } from './codeZero.ts'
import { createJudge } from './judge/createJudge.ts'
import { type JudgeCalibration, judgeCalibrationSchema } from './judge/judgeCalibration.ts'
import { environmentFrom, type PresetName, presets } from './presets.ts'
import { starterFormat } from './promptFormat.ts'

/** The models that come with the code. */
export const starterFolder = join(import.meta.dirname, '..', '..', '..', 'models', 'starter')

/**
 * The CodeZero environment with the starter models, for each preset: a swarm uses the one whose hash is on its chain.
 *
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadStarterEnvironments(): Promise<Record<PresetName, Environment>> {
  const solverFolder = join(starterFolder, 'solver')
  const judgeFolder = join(starterFolder, 'judge')
  const judgeConfig = await readDecoderConfig(judgeFolder)
  const weightsHash = hashWeights(await readWeights(judgeFolder, judgeConfig))
  const [tokenizer, judgeTokenizer] = await Promise.all(
    [solverFolder, judgeFolder].map(folder => Tokenizer.read(join(folder, 'tokenizer.json'))),
  )
  if (tokenizer === undefined || judgeTokenizer === undefined) throw new RangeError('two tokenizers were read')
  const calibration = await readJudgeCalibration(judgeFolder)
  const openCodeJudge = async (scorer: SequenceScorer) =>
    createJudge({ scorer, tokenizer: judgeTokenizer, calibration, maxTokens: judgeConfig.maxPositions })
  const format = starterFormat(tokenizer)
  const environment = (preset: PresetName): Environment => {
    const spec = environmentFrom(preset, { judge: { kind: 'backTranslation', weightsHash } })
    const judgeModel = { folder: judgeFolder, precision: 'float32', weightsHash } as const
    return codeZero({ spec, format, solverFolder, judgeModel, openCodeJudge })
  }
  const names = Object.keys(presets) as PresetName[]
  return Object.fromEntries(names.map(name => [name, environment(name)])) as Record<PresetName, Environment>
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
