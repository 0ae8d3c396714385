import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hex } from '#core/hex.ts'
import { createJudge, type Judge, type SequenceScorer } from '#environments/codezero/createJudge.ts'
import { type EnvironmentSpec, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { judgeCalibrationSchema } from '#environments/codezero/judgeCalibration.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoderConfig.ts'
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
  openJudge: (scorer: SequenceScorer) => Promise<Judge>
}

/** The CodeZero environment with the starter models. @throws {ModelFileError} if a file of theirs is missing or damaged. */
export async function loadEnvironment(): Promise<Environment> {
  const solverFolder = join(starterFolder, 'solver')
  const judgeFolder = join(starterFolder, 'judge')
  const judgeWeights = await readFile(join(judgeFolder, 'model.safetensors'))
  const judgeHash: Hex = `0x${createHash('sha256').update(judgeWeights).digest('hex')}`
  const spec = environmentFrom('starter', { judgeHash })
  const judgeConfig = await readDecoderConfig(judgeFolder)
  const [tokenizer, judgeTokenizer] = await Promise.all(
    [solverFolder, judgeFolder].map(folder => Tokenizer.read(join(folder, 'tokenizer.json'))),
  )
  if (tokenizer === undefined || judgeTokenizer === undefined) throw new RangeError('two tokenizers were read')
  const openJudge = async (scorer: SequenceScorer) => {
    const { waggle } = JSON.parse(await readFile(join(judgeFolder, 'config.json'), 'utf8'))
    const calibration = judgeCalibrationSchema.parse(waggle.calibration ?? waggle)
    return createJudge({ scorer, tokenizer: judgeTokenizer, calibration, maxTokens: judgeConfig.maxPositions })
  }
  return { spec, hash: environmentHash(spec), tokenizer, solverFolder, judgeFolder, judgeConfig, openJudge }
}
