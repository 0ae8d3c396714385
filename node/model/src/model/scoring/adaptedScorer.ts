import type { Device } from '#engine/devices/device.ts'
import { createSession } from '#engine/session.ts'
import { checkOptions, runSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { adaptedParts, adaptedSession, type ResidentFactors } from '../generation/adaptedGenerator.ts'
import type { LoraAdapter } from '../lora/loraFactors.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { type Scorer, scorerOn } from './score.ts'
import { buildScoringModel } from './scoringGraph.ts'

/** Makes a scorer of frozen weights with an adapter over them, as `createAdaptedGenerator` makes a sampler. */
export async function createAdaptedScorer(
  config: DecoderConfig,
  freeze: Freeze,
  adapter: LoraAdapter,
  options: { threads?: number; device?: Device } = {},
  resident: ResidentFactors | null = null,
): Promise<Scorer> {
  checkOptions(runSchema, options, 'createAdaptedScorer')
  const { threads = 2, device } = options
  const model = buildScoringModel(config, adaptedParts(config, freeze, adapter), ['logprobs', 'gaps'], device)
  return scorerOn(config, adaptedSession(await createSession(model, { threads }), adapter, resident))
}
