import type { Device } from '#engine/devices/device.ts'
import { checkOptions, generateSchema, runSchema } from '../checkOptions.ts'
import { requireConstants } from '../decoder/constantWeights.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { checkWeights, type Weights } from '../decoder/weights.ts'
import { createLiveSession, type SessionQueue } from '../liveSession.ts'
import { ModelInputError } from '../modelErrors.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import type { Completion, GenerateOptions } from './completion.ts'
import { Generation } from './generation.ts'
import { buildGenerationModel, cacheReal } from './generationGraph.ts'
import { promptRuns } from './promptRuns.ts'

export interface Generator {
  /**
   * Samples completions, in prompt-major order.
   *
   * A completion depends on the weights, its prompt, the seed, and its prompt's and sample's number; not on what else is in
   * the call, bit for bit on one kind of machine. Calls wait for each other.
   *
   * Rows wait until there is memory for their keys and values.
   *
   * @throws {ModelInputError} on an empty prompt, an unknown token, a prompt longer than the model's positions, or so many tokens
   *   that the memory holds not even one row's keys and values.
   */
  generate(options: GenerateOptions): Promise<Completion[]>
  dispose(): Promise<void>
}

/**
 * Makes a sampler for a decoder. Weights may be changed in place between calls: each call runs on what they are then (the
 * session is built again if they differ, which takes some tens of milliseconds for a million parameters).
 *
 * Runs block their thread for milliseconds each: keep it in a worker.
 *
 * @param options.threads - for one product; the completions do not depend on it. 1 by default: a model of a million
 *   parameters gains a tenth from a second one on a quiet machine, and loses three quarters where processes share the cores.
 * @param options.device - what runs it; on a GPU completions are those of that GPU, and not the CPU's bit for bit.
 * @throws {ModelFileError} if a weight is missing or misshapen.
 * @throws {ModelInputError} if the weights take 2 GiB or more.
 */
export function createGenerator(
  config: DecoderConfig,
  weights: Weights,
  options: { threads?: number; device?: Device } = {},
): Generator {
  checkOptions(runSchema, options, 'createGenerator')
  const { threads = 1, device = 'cpu' } = options
  checkWeights(config, weights, 'weights')
  requireConstants(weights)
  const live = createLiveSession(weights, of => buildGenerationModel(config, bakedParts(config, of), device), {
    threads,
  })
  return generatorOn(config, live)
}

/**
 * A sampler on a session of `buildGenerationModel`.
 *
 * @param leastRows - of a step. ONNX Runtime computes a product of one row with a matrix that is not a constant differently from one of several rows.
 */
export function generatorOn(config: DecoderConfig, live: SessionQueue, leastRows = 1): Generator {
  return {
    async generate(request) {
      checkOptions(generateSchema, request, 'generate')
      checkRequest(config, request)
      return live.use(async session => {
        const reads = await promptRuns(session.model.device, cacheReal(session.model))
        return new Generation(config, session, request, reads, leastRows).run()
      })
    },
    dispose: () => live.dispose(),
  }
}

/** Logits are multiplied by its inverse, which must not leave float32. */
const LEAST_TEMPERATURE = 1e-20

function checkRequest(config: DecoderConfig, request: GenerateOptions): void {
  const { prompts, samplesPerPrompt, maxNewTokens, temperature, promptNumbers, sampleNumbers } = request
  const refuse = (message: string) => {
    throw new ModelInputError(message, {
      hint: 'Check the options, and that the tokens are of this model and fit its length.',
    })
  }
  if (!Number.isInteger(samplesPerPrompt) || samplesPerPrompt < 1) refuse(`${samplesPerPrompt} samples a prompt`)
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 1) refuse(`${maxNewTokens} new tokens`)
  if (!Number.isFinite(temperature) || temperature < 0 || (temperature > 0 && temperature < LEAST_TEMPERATURE))
    refuse(`temperature ${temperature}`)
  if (promptNumbers && promptNumbers.length !== prompts.length) refuse('promptNumbers and prompts differ in number')
  if (sampleNumbers && sampleNumbers.length !== samplesPerPrompt) refuse('sampleNumbers and samplesPerPrompt differ')
  const { topK, topP, minP, repetitionPenalty } = request
  if (topK !== undefined && (!Number.isInteger(topK) || topK < 1)) refuse(`top-k ${topK}`)
  if (topP !== undefined && !(topP > 0 && topP <= 1)) refuse(`top-p ${topP}`)
  if (minP !== undefined && !(minP >= 0 && minP <= 1)) refuse(`min-p ${minP}`)
  if (repetitionPenalty !== undefined && !(repetitionPenalty > 0 && repetitionPenalty < 100))
    refuse(`repetition penalty ${repetitionPenalty}`)
  prompts.forEach((prompt, i) => {
    if (prompt.length === 0) refuse(`prompt ${i} is empty`)
    if (prompt.length >= config.maxPositions)
      refuse(`prompt ${i} has ${prompt.length} tokens; the model has ${config.maxPositions} positions`)
    const unknown = prompt.find(token => token < 0 || token >= config.vocabSize)
    if (unknown !== undefined) refuse(`prompt ${i} has token ${unknown} of a vocabulary of ${config.vocabSize}`)
  })
}
