import type { Device } from '#engine/devices/device.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashWeights, readWeights } from '#model/decoder/weights.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { createScorer } from '#model/scoring/score.ts'
import { copyTokenizer } from '#model/tokenizers/copyTokenizer.ts'
import { readOptimizerState, saveCheckpoint } from '../checkpoint.ts'
import type { AdamWOptions } from '../optimizers/adamW.ts'
import { createTrainer } from '../trainer.ts'
import type { TrainerOptions } from '../trainerOptions.ts'
import type { Policy } from './policy.ts'
import { encodePolicy, hashPolicy } from './publishedPolicy.ts'

export interface PolicySettings {
  readonly threads: number
  readonly device: Device
  readonly adamW: AdamWOptions
  /** Limit of the gradients' joint norm, and the temperature and top-p that the policy is sampled at; see `TrainerOptions`. */
  readonly clipNorm?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
}

/** Options of a policy's trainer. */
export function trainerSettings(settings: PolicySettings): TrainerOptions {
  const { threads, device, adamW, clipNorm, temperature, topP } = settings
  return {
    threads,
    device,
    optimizer: { kind: 'adamW', ...adamW },
    ...(clipNorm === undefined ? {} : { clipNorm }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  }
}

/**
 * The policy of a folder, of which all weights are trained, with the optimizer's state if one was saved for exactly these weights.
 *
 * @param base - folder of the model that it was trained from, whose tokenizer is saved with the weights.
 */
export async function openWholePolicy(folder: string, base: string, settings: PolicySettings): Promise<Policy> {
  const { threads, device } = settings
  const config = await readDecoderConfig(folder)
  const weights = await readWeights(folder, config)
  const state = await readOptimizerState(folder, hashWeights(weights))
  const trainer = await createTrainer(config, weights, trainerSettings(settings))
  if (state) trainer.load(state)
  const generator = createGenerator(config, weights, { threads, device })
  return {
    trainer,
    async generate(request) {
      await trainer.readBack()
      return generator.generate(request)
    },
    async openScorer() {
      await trainer.readBack()
      return createScorer(config, weights, { threads, device })
    },
    async weightsHash() {
      await trainer.readBack()
      return hashPolicy({ weights })
    },
    async publish() {
      await trainer.readBack()
      return Buffer.concat(encodePolicy({ weights }))
    },
    async save(to) {
      await trainer.readBack()
      await saveCheckpoint(to, config, weights, await trainer.state())
      await copyTokenizer(base, to)
    },
    async dispose() {
      await generator.dispose()
      await trainer.dispose()
    },
  }
}
