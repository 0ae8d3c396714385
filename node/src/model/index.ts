/** What the layers above and the library take from the models: decoders, their files, tokenizers, generation and scoring. */

export { openUniform, philox4x32, type RandomStream, randomStream, type Seed, streamKey } from '#core/random.ts'
export { createAdaptedGenerator } from './adaptedGenerator.ts'
export { createAdaptedScorer } from './adaptedScorer.ts'
export {
  type DecoderFeeds,
  decoderFeeds,
  lengthBatches,
  type ScoredSequence,
  shuffledBatches,
} from './batch.ts'
export type { ChatMessage } from './chatTemplate.ts'
export { checkTokenizerFits } from './checkTokenizerFits.ts'
export {
  comparePrecisions,
  type PrecisionComparison,
  type PrecisionError,
  sampleSequences,
} from './comparePrecisions.ts'
export { copyTokenizer } from './copyTokenizer.ts'
export { type DecoderConfig, formatDecoderConfig, parseDecoderConfig, readDecoderConfig } from './decoderConfig.ts'
export { decoderWeightShapes, parameterCount } from './decoderWeights.ts'
export { type Device, type DeviceReport, devices, reportDevices } from './devices.ts'
export { bakedParts, type Freeze, frozenParts } from './frozenParts.ts'
export type { FrozenTensors, Precision } from './frozenTensors.ts'
export {
  type Completion,
  createGenerator,
  type GenerateOptions,
  type Generator,
  type StreamedToken,
} from './generate.ts'
export { importGguf } from './gguf/importGguf.ts'
export { initWeights } from './initWeights.ts'
export { type LoadOptions, loadGenerator, openFrozenTensors } from './loadGenerator.ts'
export { loadScorer } from './loadScorer.ts'
export { allLinear, type BasePrecision, type LoraConfig, loraScaling, parseLoraConfig } from './loraConfig.ts'
export { initLora, type LoraAdapter, mergeLora } from './loraFactors.ts'
export { readBasePrecision, readLora, writeLora } from './loraFiles.ts'
export { ModelFileError, ModelInputError } from './modelErrors.ts'
export { NucleusSearch } from './nucleus.ts'
export { positionLogits } from './positionLogits.ts'
export { PretrainedTokenizer } from './pretrainedTokenizer.ts'
export { createDrawReader, type DrawReader, type SequenceDraws } from './proof/drawReader.ts'
export { nucleusTolerance, samplingTolerances, toleranceAt } from './proof/samplingTolerances.ts'
export { type TokenDraw, tokenUniforms } from './proof/tokenUniforms.ts'
export {
  completionUniforms,
  forgiven,
  type SamplingClaim,
  type SamplingTolerance,
  type SamplingVerdict,
  verifySampling,
} from './proof/verifySampling.ts'
export { quantizeWeights } from './quantizedTensors.ts'
export { type ModelFiles, readModel } from './readModel.ts'
export {
  encodeSafetensors,
  readSafetensors,
  readStoredTensors,
  type StoredTensor,
  scanSafetensors,
  type Tensor,
  writeSafetensors,
} from './safetensors.ts'
export { createScorer, type Scorer, type SequenceScores } from './score.ts'
export type { SequenceToScore, TokenChoice } from './scoringTasks.ts'
export { Tokenizer } from './tokenizer.ts'
export { openTokenizer, type TokenizerClient } from './tokenizerClient.ts'
export { trainTokenizer } from './trainTokenizer.ts'
export { locateWeights } from './weightFiles.ts'
export {
  checkWeights,
  copyWeights,
  hashWeights,
  readWeights,
  sameWeights,
  type Weights,
  writeWeights,
} from './weights.ts'
export { writeModel } from './writeModel.ts'
