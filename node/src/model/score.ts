import { setImmediate } from 'node:timers/promises'
import type { Device } from '#engine/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import type { Session, Tensor } from '#engine/session.ts'
import { tensor } from '#engine/session.ts'
import { flattenRows, gather, gatherElements, logSoftmax, maxOver, squeeze, sub, unsqueeze } from '#engine/tensor.ts'
import { constantWeights } from './constantWeights.ts'
import { decoderHidden, decoderLogits, denseParts } from './decoder.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { createLiveSession } from './liveSession.ts'
import { ModelInputError } from './modelErrors.ts'
import { ropeTables } from './rope.ts'
import { checkWeights, type Weights } from './weights.ts'

/** Padded tokens in one run: enough rows for full products, few enough that their activations stay in the cache. */
const RUN_TOKENS = 1024

/**
 * A sequence is padded to a whole number of these, and runs only beside sequences padded to the same length. Padding to the
 * longest of whatever came along would change the order in which a softmax adds, and so the last bit of a score.
 */
const LENGTH_STEP = 16

export interface SequenceToScore {
  readonly tokens: Int32Array
  /** Index of the first token that is scored, >= 1; all from it on are. */
  readonly from: number
}

/** Arrays of `tokens.length - from`. */
export interface SequenceScores {
  /** Log-probability of each token given those before it, at temperature 1. */
  readonly logprobs: Float32Array
  /** Log-probability of the best token minus that of the given one, >= 0. */
  readonly gaps: Float32Array
}

export interface Scorer {
  /**
   * Scores sequences by teacher forcing, in the order given.
   *
   * The scores of a sequence depend on it and the weights only, bit for bit on one kind of machine (sequences of up to 512
   * tokens), whatever else is in the call. Calls wait for each other.
   *
   * @throws {ModelInputError} on an unknown token, a `from` outside the sequence, or more tokens than positions.
   */
  score(sequences: readonly SequenceToScore[], options?: { signal?: AbortSignal }): Promise<SequenceScores[]>
  dispose(): Promise<void>
}

/**
 * Makes a scorer: the decoder of training without its gradients. Weights may be changed in place between calls.
 *
 * @param options.threads - for one product; the scores do not depend on it. 1 by default, as for a generator.
 * @throws {ModelFileError} if a weight is missing or misshapen.
 */
export function createScorer(
  config: DecoderConfig,
  weights: Weights,
  { threads = 1, device = 'cpu' }: { threads?: number; device?: Device } = {},
): Scorer {
  checkWeights(config, weights, 'weights')
  const live = createLiveSession(weights, of => buildScoringModel(config, of, device), { threads })
  return {
    score(sequences, { signal } = {}) {
      return live.use(async session => {
        sequences.forEach((sequence, i) => {
          checkSequence(config, sequence, i)
        })
        const scores: SequenceScores[] = []
        for (const { length, indices } of runs(sequences)) {
          signal?.throwIfAborted()
          const batch = indices.map(i => sequences[i] as SequenceToScore)
          const results = await scoreBatch(config, session, batch, length)
          for (const [b, i] of indices.entries()) scores[i] = results[b] as SequenceScores
          await setImmediate() // runs block the thread: let an abort in
        }
        return scores
      })
    },
    dispose: () => live.dispose(),
  }
}

/**
 * Inputs: `ids` i64 [B, T]; `cos`, `sin` f32 [T, headDim]; `rows`, `targets` i64 [M], as in `tokenScores`.
 * Outputs: `logprobs`, `gaps` f32 [M].
 */
function buildScoringModel(config: DecoderConfig, weights: Weights, device: Device): OnnxModel {
  const graph = new Graph()
  const ids = graph.input('ids', 'i64', ['B', 'T'])
  const cos = graph.input('cos', 'f32', ['T', config.headDim])
  const sin = graph.input('sin', 'f32', ['T', config.headDim])
  const rows = graph.input('rows', 'i64', ['M'])
  const targets = graph.input('targets', 'i64', ['M'])
  const constant = constantWeights(graph, weights)
  const parts = denseParts(new Map([...weights.keys()].map(name => [name, constant(name)])))
  const hidden = flattenRows(decoderHidden(config, parts, ids, cos, sin))
  const all = logSoftmax(decoderLogits(config, parts, gather(hidden, rows, 0))) // (M, V)
  const logprobs = squeeze(gatherElements(all, unsqueeze(targets, -1), -1), -1)
  return encodeModel({ logprobs, gaps: sub(maxOver(all, -1), logprobs) }, [], device)
}

/** Sequences of one padded length, at most RUN_TOKENS of them a run. */
function runs(sequences: readonly SequenceToScore[]): { length: number; indices: number[] }[] {
  const open = new Map<number, { length: number; indices: number[] }>()
  const all: { length: number; indices: number[] }[] = []
  for (const [i, { tokens }] of sequences.entries()) {
    const length = Math.max(1, Math.ceil((tokens.length - 1) / LENGTH_STEP)) * LENGTH_STEP
    let run = open.get(length)
    if (!run || (run.indices.length + 1) * length > RUN_TOKENS) {
      run = { length, indices: [] }
      open.set(length, run)
      all.push(run)
    }
    run.indices.push(i)
  }
  return all
}

async function scoreBatch(
  config: DecoderConfig,
  session: Session,
  batch: readonly SequenceToScore[],
  length: number,
): Promise<SequenceScores[]> {
  const count = batch.reduce((sum, { tokens, from }) => sum + tokens.length - from, 0)
  if (count === 0) return batch.map(() => ({ logprobs: new Float32Array(0), gaps: new Float32Array(0) }))
  const ids = new BigInt64Array(batch.length * length)
  const [rows, targets] = [new BigInt64Array(count), new BigInt64Array(count)]
  let m = 0
  for (const [b, { tokens, from }] of batch.entries()) {
    for (let t = 0; t < tokens.length; t++) {
      if (t < tokens.length - 1) ids[b * length + t] = BigInt(tokens[t] as number)
      if (t < from) continue
      rows[m] = BigInt(b * length + t - 1)
      targets[m++] = BigInt(tokens[t] as number)
    }
  }
  const { cos, sin } = ropeTables(config, length)
  const outputs = await session.run({
    ids: tensor('i64', ids, [batch.length, length]),
    cos: tensor('f32', cos, [length, config.headDim]),
    sin: tensor('f32', sin, [length, config.headDim]),
    rows: tensor('i64', rows, [count]),
    targets: tensor('i64', targets, [count]),
  })
  let at = 0
  return batch.map(({ tokens, from }) => {
    const [start, end] = [at, at + tokens.length - from]
    at = end
    const part = (name: string) => (outputs[name] as Tensor<'f32'>).data.slice(start, end)
    return { logprobs: part('logprobs'), gaps: part('gaps') }
  })
}

function checkSequence(config: DecoderConfig, { tokens, from }: SequenceToScore, index: number): void {
  const refuse = (problem: string) => {
    throw new ModelInputError(`sequence ${index} ${problem}`, {
      hint: 'Check that the tokens come from this model’s tokenizer and fit its length.',
    })
  }
  if (!Number.isInteger(from) || from < 1 || from > tokens.length) refuse(`is scored from ${from} of ${tokens.length}`)
  if (tokens.length > config.maxPositions + 1)
    refuse(`has ${tokens.length} tokens for ${config.maxPositions} positions`)
  const unknown = tokens.find(token => token < 0 || token >= config.vocabSize)
  if (unknown !== undefined) refuse(`has token ${unknown} of a vocabulary of ${config.vocabSize}`)
}
