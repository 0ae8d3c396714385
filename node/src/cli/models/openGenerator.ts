import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { Generator } from '#model/generate.ts'
import type { LoadOptions } from '#model/loadGenerator.ts'

/** Reads weights from their files, and computes an adapter alongside them: neither needs a copy in memory. */
export async function openGenerator(
  folder: string,
  config: DecoderConfig,
  adapter: string | undefined,
  load: LoadOptions,
): Promise<Generator> {
  const { loadGenerator, openFrozenTensors } = await import('#model/loadGenerator.ts')
  if (adapter === undefined) return loadGenerator(folder, load)
  const { createAdaptedGenerator } = await import('#model/adaptedGenerator.ts')
  const { frozenParts } = await import('#model/frozenParts.ts')
  const { readLora } = await import('#model/loraFiles.ts')
  const lora = await readLora(adapter, config)
  const tensors = await openFrozenTensors(folder, config, load)
  return createAdaptedGenerator(config, frozenParts(config, tensors), lora, {
    threads: load.threads ?? 2,
    device: load.device ?? 'cpu',
  })
}
