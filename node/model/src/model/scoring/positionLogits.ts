import type { Device } from '#engine/devices/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { flattenRows } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { beyondMemory, longSequenceBytes } from '../beyondMemory.ts'
import { checkOptions, runSchema, tokenArray } from '../checkOptions.ts'
import { decoderHidden, decoderLogits, denseParts } from '../decoder/decoder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import { ropeTables } from '../decoder/rope.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { ModelFiles } from '../readModel.ts'

/** Positions whose logits are in memory together: 39 MB at a vocabulary of 151 936. */
const CHUNK_POSITIONS = 64

/**
 * Logits after each token of a sequence, position by position, before any softmax.
 *
 * The weights are fed in place, so only they and the activations of one layer are in memory.
 *
 * @param tokens - at least one, and no more than the model has positions.
 * @param options.threads - for one product; the logits do not depend on it.
 * @returns `[vocabSize]` for each token, in order.
 * @throws {ModelInputError} on an unknown token, no token, or too many for the model or the memory.
 */
export async function* positionLogits(
  { config, weights }: Pick<ModelFiles, 'config' | 'weights'>,
  tokens: Int32Array,
  options: { threads?: number; device?: Device } = {},
): AsyncGenerator<Float32Array> {
  checkOptions(tokenArray, tokens, 'logits')
  checkOptions(runSchema, options, 'logits')
  const { threads = 1, device = 'cpu' } = options
  checkTokens(config, tokens)
  const { cos, sin } = ropeTables(config, tokens.length)
  const ids = BigInt64Array.from(tokens, BigInt)
  const { hidden } = await runOnce(hiddenModel(config, device), threads, weights, {
    ids: tensor('i64', ids, [1, ids.length]),
    cos: tensor('f32', cos, [ids.length, config.headDim]),
    sin: tensor('f32', sin, [ids.length, config.headDim]),
  })
  const { data } = hidden as Tensor<'f32'>
  const head = logitsModel(config, device)
  const session = await createSession(head, { threads })
  try {
    for (let from = 0; from < tokens.length; from += CHUNK_POSITIONS) {
      const rows = Math.min(CHUNK_POSITIONS, tokens.length - from)
      const part = data.subarray(from * config.hiddenSize, (from + rows) * config.hiddenSize)
      const feeds = { hidden: tensor('f32', part, [rows, config.hiddenSize]), ...weightFeeds(head, weights) }
      const { logits } = await session.run(feeds)
      const chunk = (logits as Tensor<'f32'>).data
      for (let i = 0; i < rows; i++) yield chunk.subarray(i * config.vocabSize, (i + 1) * config.vocabSize)
    }
  } finally {
    await session.dispose()
  }
}

/** Inputs: `ids` i64 [B, T]; `cos`, `sin` f32 [T, headDim]; the weights. Output: `hidden` f32 [B*T, hidden]. */
function hiddenModel(config: DecoderConfig, device: Device): OnnxModel {
  const graph = new Graph()
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', 'f32', ['T', config.headDim])
  const sin = graph.input('sin', 'f32', ['T', config.headDim])
  const hidden = decoderHidden(config, weightInputs(graph, config), ids, cos, sin)
  return encodeModel({ hidden: flattenRows(hidden) }, [], device)
}

/** Inputs: `hidden` f32 [R, hidden]; the weights. Output: `logits` f32 [R, V]. */
function logitsModel(config: DecoderConfig, device: Device): OnnxModel {
  const graph = new Graph()
  const hidden = graph.input('hidden', 'f32', ['R', config.hiddenSize])
  return encodeModel({ logits: decoderLogits(config, weightInputs(graph, config), hidden) }, [], device)
}

function weightInputs(graph: Graph, config: DecoderConfig) {
  const inputs = new Map<string, Value>()
  for (const [name, shape] of decoderWeightShapes(config)) inputs.set(name, graph.input(name, 'f32', shape))
  return denseParts(inputs)
}

function weightFeeds(model: OnnxModel, weights: ModelFiles['weights']): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {}
  for (const [name, { shape, data }] of weights) if (model.inputs.has(name)) feeds[name] = tensor('f32', data, shape)
  return feeds
}

async function runOnce(
  model: OnnxModel,
  threads: number,
  weights: ModelFiles['weights'],
  feeds: Record<string, Tensor>,
): Promise<Record<string, Tensor>> {
  const session: Session = await createSession(model, { threads })
  try {
    return await session.run({ ...feeds, ...weightFeeds(model, weights) })
  } finally {
    await session.dispose()
  }
}

function checkTokens(config: DecoderConfig, tokens: Int32Array): void {
  const refuse = (message: string) => {
    throw new ModelInputError(message, { hint: 'Check that the tokens are of this model and fit its length.' })
  }
  if (tokens.length === 0) refuse('there are no tokens')
  if (tokens.length > config.maxPositions) refuse(`${tokens.length} tokens for ${config.maxPositions} positions`)
  const unknown = tokens.find(token => token < 0 || token >= config.vocabSize)
  if (unknown !== undefined) refuse(`token ${unknown} of a vocabulary of ${config.vocabSize}`)
  const problem = beyondMemory(longSequenceBytes(config, tokens.length, CHUNK_POSITIONS))
  if (problem !== undefined) refuse(`all positions of ${tokens.length} tokens at once ${problem}`)
}
