import { join } from 'node:path'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashWeights, readWeights } from '#model/decoder/weights.ts'
import { Tokenizer } from '#model/tokenizers/tokenizer.ts'
import type { Environment } from '../environment.ts'
import { codeZero } from './codeZero.ts'
import { readBackTranslation } from './judge/backTranslation.ts'
import { environmentFrom, type PresetName, presets } from './presets.ts'
import { starterFormat } from './promptFormat.ts'

/** The models that come with the code. */
export const starterFolder = join(import.meta.dirname, '..', '..', '..', 'models', 'starter')

/** The frozen judge that comes with the code. It reads functions of the curriculum, whoever wrote them. */
export const starterJudge = join(starterFolder, 'judge')

/**
 * The CodeZero environment with the starter models, for each preset: a swarm uses the one whose hash is on its chain.
 *
 * @throws {ModelFileError} if a file of the models is missing or damaged.
 */
export async function loadStarterEnvironments(): Promise<Record<PresetName, Environment>> {
  const solverFolder = join(starterFolder, 'solver')
  const weightsHash = hashWeights(await readWeights(starterJudge, await readDecoderConfig(starterJudge)))
  const tokenizer = await Tokenizer.read(join(solverFolder, 'tokenizer.json'))
  const openJudge = await readBackTranslation(starterJudge)
  const format = starterFormat(tokenizer)
  const environment = (preset: PresetName): Environment => {
    const spec = environmentFrom(preset, { judge: { kind: 'backTranslation', weightsHash } })
    const judgeModel = { folder: starterJudge, precision: 'float32', weightsHash } as const
    return codeZero({ spec, format, solverFolder, judgeModel, openCodeJudge: async scorer => openJudge(scorer) })
  }
  const names = Object.keys(presets) as PresetName[]
  return Object.fromEntries(names.map(name => [name, environment(name)])) as Record<PresetName, Environment>
}
