import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { createJudge, type Judge, type SequenceScorer } from '#environments/codezero/createJudge.ts'
import { type EnvironmentSpec, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { type JudgeCalibration, judgeCalibrationSchema } from '#environments/codezero/judgeCalibration.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { Tokenizer } from '#model/tokenizer.ts'

/** The models that come with the code. */
export const starterFolder = join(import.meta.dirname, '..', '..', 'models', 'starter')

/** The public rule as this node has it: specification, its hash on the chain, and the models that it names. */
export type Environment = {
  spec: EnvironmentSpec
  hash: Hex
  tokenizer: Tokenizer
  /** Folder of the weights that a new solver or proposer starts with. */
  solverFolder: string
  judgeFolder: string
  judgeConfig: DecoderConfig
  openJudge: (scorer: SequenceScorer) => Judge
}

/** The CodeZero environment with the starter models. @throws {ModelFileError} if a file of theirs is missing or damaged. */
export async function loadEnvironment(): Promise<Environment> {
  const solverFolder = join(starterFolder, 'solver')
  const judgeFolder = join(starterFolder, 'judge')
  const judgeHash = contentId(await readModelFile(judgeFolder, 'model.safetensors'))
  const spec = environmentFrom('starter', { judgeHash })
  const judgeConfig = await readDecoderConfig(judgeFolder)
  const [tokenizer, judgeTokenizer] = await Promise.all(
    [solverFolder, judgeFolder].map(folder => Tokenizer.read(join(folder, 'tokenizer.json'))),
  )
  if (tokenizer === undefined || judgeTokenizer === undefined) throw new RangeError('two tokenizers were read')
  const calibration = readCalibration(join(judgeFolder, 'config.json'), await readModelFile(judgeFolder, 'config.json'))
  const openJudge = (scorer: SequenceScorer) =>
    createJudge({ scorer, tokenizer: judgeTokenizer, calibration, maxTokens: judgeConfig.maxPositions })
  return { spec, hash: environmentHash(spec), tokenizer, solverFolder, judgeFolder, judgeConfig, openJudge }
}

const restore = { hint: 'The models come with the code: get them again with git checkout node/models.' }

async function readModelFile(folder: string, name: string): Promise<Buffer> {
  const path = join(folder, name)
  return readFile(path).catch(cause => {
    throw new ModelFileError(path, 'file', 'cannot be read', { ...restore, cause })
  })
}

const judgeConfigSchema = z.looseObject({ waggle: z.looseObject({ calibration: judgeCalibrationSchema }) })

function readCalibration(path: string, bytes: Buffer): JudgeCalibration {
  try {
    return judgeConfigSchema.parse(JSON.parse(bytes.toString())).waggle.calibration
  } catch (cause) {
    throw new ModelFileError(path, 'waggle.calibration', 'is missing or not a calibration', { ...restore, cause })
  }
}
