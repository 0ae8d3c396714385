import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Generator } from '#model/generation/generate.ts'
import type { LoadOptions } from '#model/generation/loadGenerator.ts'

/** Reads weights from their files, and computes an adapter alongside them: neither needs a copy in memory. */
export async function openGenerator(
  folder: string,
  config: DecoderConfig,
  adapter: string | undefined,
  load: LoadOptions,
): Promise<Generator> {
  const { loadGenerator, openFrozenTensors } = await import('#model/generation/loadGenerator.ts')
  if (adapter === undefined) return loadGenerator(folder, load)
  const { createAdaptedGenerator } = await import('#model/generation/adaptedGenerator.ts')
  const { checkedGenerator } = await import('#model/generation/checkedGenerator.ts')
  const { frozenParts } = await import('#model/quantization/frozenParts.ts')
  const { readLora } = await import('#model/lora/loraFiles.ts')
  const lora = await readLora(adapter, config)
  const tensors = await openFrozenTensors(folder, config, load)
  const on = { threads: load.threads ?? 2, device: load.device ?? 'cpu' }
  const generator = await createAdaptedGenerator(config, frozenParts(config, tensors), lora, on)
  return checkedGenerator(generator, folder, load.precision ?? 'float32')
}
