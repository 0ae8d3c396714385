import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createAdaptedGenerator } from '#model/adaptedGenerator.ts'
import { createAdaptedScorer } from '#model/adaptedScorer.ts'
import { copyTokenizer } from '#model/copyTokenizer.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { frozenParts } from '#model/frozenParts.ts'
import { openFrozenTensors } from '#model/loadGenerator.ts'
import type { BasePrecision, LoraConfig } from '#model/loraConfig.ts'
import { initLora } from '#model/loraFactors.ts'
import { readLora } from '#model/loraFiles.ts'
import type { Scorer } from '#model/score.ts'
import { hashWeights, readWeights } from '#model/weights.ts'
import { readOptimizerState, saveAdapterCheckpoint } from './checkpoint.ts'
import type { Policy } from './policy.ts'
import { encodePolicy, hashPolicy } from './publishedPolicy.ts'
import { createTrainer } from './trainer.ts'
import { type PolicySettings, trainerSettings } from './wholePolicy.ts'

/** What is trained over frozen weights. */
export interface AdapterSettings {
  readonly lora: LoraConfig
  /** Of the products with the frozen layers, in generation and in training. */
  readonly base: BasePrecision
}

/**
 * A policy of a frozen base and an adapter, which alone is trained: the one that was saved in `folder`, with its optimizer's state, or a
 * fresh one.
 *
 * @param base - folder of the base's weights; in float32 they are in memory once, for the trainer.
 */
export async function openAdapterPolicy(
  folder: string,
  base: string,
  { lora, base: precision }: AdapterSettings,
  settings: PolicySettings,
): Promise<Policy> {
  const { threads, device } = settings
  const config = await readDecoderConfig(base)
  const weights = await readWeights(base, config)
  const baseHash = hashWeights(weights)
  const isKept = existsSync(join(folder, 'adapter_config.json'))
  const adapter = isKept ? await readLora(folder, config) : initLora(config, lora, baseHash)
  const state = isKept ? await readOptimizerState(folder, hashWeights(adapter.factors)) : null
  const trainer = await createTrainer(config, weights, { ...trainerSettings(settings), adapter, precision })
  if (state) trainer.load(state)
  const freeze = frozenParts(config, await openFrozenTensors(base, config, { precision, threads }))
  const generator = await createAdaptedGenerator(config, freeze, adapter, { threads, device })
  const published = { adapter, base: baseHash, precision }
  let scorer: Promise<Scorer> | undefined
  return {
    trainer,
    generate: request => generator.generate(request),
    scorer() {
      scorer ??= createAdaptedScorer(config, freeze, adapter, { threads, device })
      return scorer
    },
    weightsHash: () => hashPolicy(published),
    publish: () => Buffer.concat(encodePolicy(published)),
    async save(to) {
      await saveAdapterCheckpoint(to, adapter, trainer.state(), base, precision)
      await copyTokenizer(base, to)
    },
    async dispose() {
      await generator.dispose()
      await (await scorer)?.dispose()
      await trainer.dispose()
    },
  }
}
