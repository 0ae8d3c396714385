import { join } from 'node:path'
import type { Hex } from '#core/hex.ts'
import { createJudge, type Judge, type SequenceScorer, type TokenChooser } from '#environments/codezero/createJudge.ts'
import { type EnvironmentSpec, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { environmentFrom, type PresetName, presets } from '#environments/codezero/presets.ts'
import { type PromptFormat, starterFormat } from '#environments/codezero/promptFormat.ts'
import { readJudgeCalibration } from '#environments/codezero/readJudgeCalibration.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { Tokenizer } from '#model/tokenizer.ts'
import { hashWeights, readWeights } from '#model/weights.ts'

/** The models that come with the code. */
export const starterFolder = join(import.meta.dirname, '..', '..', 'models', 'starter')

/** The public rule as this node has it: specification, its hash on the chain, and the models that it names. */
export type Environment = {
  spec: EnvironmentSpec
  hash: Hex
  format: PromptFormat
  /** Folder of the weights that a new solver or proposer starts with. */
  solverFolder: string
  judgeFolder: string
  openJudge: (scorer: SequenceScorer & TokenChooser) => Promise<Judge>
}

/**
 * The CodeZero environment with the starter models, by each preset: a swarm plays by the one whose hash its chain holds.
 *
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadEnvironments(): Promise<Record<PresetName, Environment>> {
  const solverFolder = join(starterFolder, 'solver')
  const judgeFolder = join(starterFolder, 'judge')
  const judgeConfig = await readDecoderConfig(judgeFolder)
  const weightsHash = hashWeights(await readWeights(judgeFolder, judgeConfig))
  const [tokenizer, judgeTokenizer] = await Promise.all(
    [solverFolder, judgeFolder].map(folder => Tokenizer.read(join(folder, 'tokenizer.json'))),
  )
  if (tokenizer === undefined || judgeTokenizer === undefined) throw new RangeError('two tokenizers were read')
  const calibration = await readJudgeCalibration(judgeFolder)
  const openJudge = async (scorer: SequenceScorer) =>
    createJudge({ scorer, tokenizer: judgeTokenizer, calibration, maxTokens: judgeConfig.maxPositions })
  const format = starterFormat(tokenizer)
  const environment = (preset: PresetName): Environment => {
    const spec = environmentFrom(preset, { judge: { kind: 'backTranslation', weightsHash } })
    return { spec, hash: environmentHash(spec), format, solverFolder, judgeFolder, openJudge }
  }
  const names = Object.keys(presets) as PresetName[]
  return Object.fromEntries(names.map(name => [name, environment(name)])) as Record<PresetName, Environment>
}
