/** Exports for the layers above and the library: decoders, their files, tokenizers, generation and scoring. */

export { philox4x32, type RandomStream, randomStream, type Seed, streamKey } from '#base/random.ts'
export {
  comparePrecisions,
  type PrecisionComparison,
  type PrecisionError,
  sampleSequences,
} from './comparePrecisions.ts'
export {
  type DecoderFeeds,
  decoderFeeds,
  lengthBatches,
  type ScoredSequence,
  shuffledBatches,
} from './decoder/batch.ts'
export {
  type DecoderConfig,
  formatDecoderConfig,
  parseDecoderConfig,
  readDecoderConfig,
} from './decoder/decoderConfig.ts'
export { decoderWeightShapes, parameterCount } from './decoder/decoderWeights.ts'
export { initWeights } from './decoder/initWeights.ts'
export { locateWeights } from './decoder/weightFiles.ts'
export {
  checkWeights,
  copyWeights,
  hashWeights,
  readWeights,
  sameWeights,
  type Weights,
  writeWeights,
} from './decoder/weights.ts'
export { type Device, type DeviceReport, devices, reportDevices } from './devices.ts'
export {
  encodeSafetensors,
  readSafetensors,
  readStoredTensors,
  type StoredTensor,
  scanSafetensors,
  type Tensor,
  writeSafetensors,
} from './files/safetensors.ts'
export { createAdaptedGenerator } from './generation/adaptedGenerator.ts'
export type { Completion, GenerateOptions, StreamedToken } from './generation/completion.ts'
export { createGenerator, type Generator } from './generation/generate.ts'
export { type LoadOptions, loadGenerator, openFrozenTensors } from './generation/loadGenerator.ts'
export { NucleusSearch } from './generation/nucleus.ts'
export { Race, type TokenDraw, tokenRaces } from './generation/tokenRaces.ts'
export { importGguf } from './gguf/importGguf.ts'
export { allLinear, type BasePrecision, type LoraConfig, loraScaling, parseLoraConfig } from './lora/loraConfig.ts'
export { initLora, type LoraAdapter, mergeLora } from './lora/loraFactors.ts'
export { readBaseHash, readBasePrecision, readLora, writeLora } from './lora/loraFiles.ts'
export { ModelFileError, ModelInputError } from './modelErrors.ts'
export { createDrawReader, type DrawReader, type SampledSequence, type SequenceDraws } from './proof/drawReader.ts'
export { type SamplingTolerance, samplingTolerances } from './proof/samplingTolerances.ts'
export { type SamplingVerdict, verifySampling } from './proof/verifySampling.ts'
export { bakedParts, type Freeze, frozenParts } from './quantization/frozenParts.ts'
export type { FrozenTensors } from './quantization/frozenTensors.ts'
export type { Precision, SpecifiedPrecision } from './quantization/precision.ts'
export { quantizeWeights } from './quantization/quantizedTensors.ts'
export { type ModelFiles, readModel } from './readModel.ts'
export { createAdaptedScorer } from './scoring/adaptedScorer.ts'
export { loadScorer } from './scoring/loadScorer.ts'
export { positionLogits } from './scoring/positionLogits.ts'
export { createScorer, type Scorer, type SequenceScores } from './scoring/score.ts'
export type { SequenceToScore, TokenChoice } from './scoring/scoringTasks.ts'
export type { ChatMessage } from './tokenizers/chatTemplate.ts'
export { checkTokenizerFits } from './tokenizers/checkTokenizerFits.ts'
export { copyTokenizer } from './tokenizers/copyTokenizer.ts'
export { PretrainedTokenizer } from './tokenizers/pretrainedTokenizer.ts'
export { Tokenizer } from './tokenizers/tokenizer.ts'
export { openTokenizer, type TokenizerClient } from './tokenizers/tokenizerClient.ts'
export { trainTokenizer } from './tokenizers/trainTokenizer.ts'
export { writeModel } from './writeModel.ts'
