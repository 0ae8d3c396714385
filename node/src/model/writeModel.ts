import { join } from 'node:path'
import { makeFolder } from '#core/makeFolder.ts'
import { writeFileAtomic } from './atomicFile.ts'
import { type DecoderConfig, formatDecoderConfig } from './decoderConfig.ts'
import { type Weights, writeWeights } from './weights.ts'

/**
 * Writes `config.json` and `model.safetensors`, which transformers loads as a model for causal language modelling; of merged
 * weights too (see `mergeLora`). The configuration comes first: a folder with weights can be read.
 */
export async function writeModel(
  folder: string,
  config: DecoderConfig,
  weights: Weights,
  dtype: 'F32' | 'BF16' = 'F32',
): Promise<void> {
  makeFolder(folder)
  const content = `${JSON.stringify(formatDecoderConfig(config), null, 2)}\n`
  await writeFileAtomic(join(folder, 'config.json'), Buffer.from(content))
  await writeWeights(join(folder, 'model.safetensors'), weights, dtype)
}
