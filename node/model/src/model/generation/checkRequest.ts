import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { GenerateOptions } from './completion.ts'

/** Logits are multiplied by its inverse, which must not leave float32. */
const LEAST_TEMPERATURE = 1e-20

/** @throws {ModelInputError} if a request does not fit the model, or an option is out of its range. */
export function checkRequest(config: DecoderConfig, request: GenerateOptions): void {
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
