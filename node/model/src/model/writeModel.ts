import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { type DecoderConfig, formatDecoderConfig } from './decoder/decoderConfig.ts'
import { type Weights, writeWeights } from './decoder/weights.ts'

const dtypeNames = { F32: 'float32', BF16: 'bfloat16' } as const

/**
 * Writes `config.json` and `model.safetensors`, which transformers loads as a model for causal language modelling; of merged
 * weights too (see `mergeLora`). The configuration comes first: a folder with weights can be read.
 *
 * The configuration names the type of the weights, because transformers computes in it.
 */
export async function writeModel(
  folder: string,
  config: DecoderConfig,
  weights: Weights,
  dtype: 'F32' | 'BF16' = 'F32',
): Promise<void> {
  makeFolder(folder)
  const content = { ...formatDecoderConfig(config), torch_dtype: dtypeNames[dtype] }
  await writeFileAtomic(join(folder, 'config.json'), Buffer.from(`${JSON.stringify(content, null, 2)}\n`))
  await writeWeights(join(folder, 'model.safetensors'), weights, dtype)
}
