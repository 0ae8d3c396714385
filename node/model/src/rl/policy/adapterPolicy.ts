import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashWeights, readWeights } from '#model/decoder/weights.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import { openFrozenTensors } from '#model/generation/loadGenerator.ts'
import type { BasePrecision, LoraConfig } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { readBaseHash, readLora } from '#model/lora/loraFiles.ts'
import { frozenParts } from '#model/quantization/frozenParts.ts'
import { createAdaptedScorer } from '#model/scoring/adaptedScorer.ts'
import { copyTokenizer } from '#model/tokenizers/copyTokenizer.ts'
import { readOptimizerState, saveAdapterCheckpoint } from '../checkpoint.ts'
import { createTrainer } from '../trainer.ts'
import { KeptPolicyError } from './keptPolicyError.ts'
import type { Policy } from './policy.ts'
import { encodePolicy, hashPolicy } from './publishedPolicy.ts'
import { type PolicySettings, trainerSettings } from './wholePolicy.ts'

/** Settings of an adapter that is trained over frozen weights. */
export interface AdapterSettings {
  readonly lora: LoraConfig
  /** Precision of the products with the frozen layers, in generation and in training. */
  readonly base: BasePrecision
}

/**
 * A policy of a frozen base and a trained adapter: the one that was saved in `folder`, with its optimizer's state, or a fresh one.
 *
 * @param base - folder of the base's weights; in float32 they are in memory once, for the trainer.
 * @throws {KeptPolicyError} if the saved adapter was trained over other weights. One that does not name its base is accepted: earlier versions did
 *   not write it.
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
  if (isKept) requireBase(folder, await readBaseHash(folder), base, baseHash)
  const adapter = isKept ? await readLora(folder, config) : initLora(config, lora, baseHash)
  const state = isKept ? await readOptimizerState(folder, hashWeights(adapter.factors)) : null
  const trainer = await createTrainer(config, weights, { ...trainerSettings(settings), adapter, precision })
  if (state) trainer.load(state)
  const freeze = frozenParts(config, await openFrozenTensors(base, config, { precision, threads }))
  const generator = await createAdaptedGenerator(config, freeze, adapter, { threads, device }, trainer.resident)
  const published = { adapter, base: baseHash, precision }
  return {
    trainer,
    generate: request => generator.generate(request),
    async openScorer() {
      return createAdaptedScorer(config, freeze, adapter, { threads, device }, trainer.resident)
    },
    async weightsHash() {
      await trainer.readBack()
      return hashPolicy(published)
    },
    async publish() {
      await trainer.readBack()
      return Buffer.concat(encodePolicy(published))
    },
    async save(to) {
      await trainer.readBack()
      await saveAdapterCheckpoint(to, adapter, await trainer.state(), base, precision, baseHash)
      await copyTokenizer(base, to)
    },
    async dispose() {
      await generator.dispose()
      await trainer.dispose()
    },
  }
}

/** An adapter's numbers mean nothing over another base of the same shapes. */
function requireBase(folder: string, kept: string | null, base: string, given: string): void {
  if (kept === null || kept === given) return
  throw new KeptPolicyError(
    `The adapter in ${folder} was trained over the weights ${kept}, and those of ${base} are ${given}.`,
    {
      hint: 'Name the base that it was trained over, at the same revision, or move that folder away to begin another adapter.',
    },
  )
}
