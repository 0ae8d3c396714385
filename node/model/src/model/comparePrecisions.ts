import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { beyondMemory, longSequenceBytes } from './beyondMemory.ts'
import { type DecoderConfig, readDecoderConfig } from './decoder/decoderConfig.ts'
import { ropeTables } from './decoder/rope.ts'
import { type LoadOptions, loadGenerator, openFrozenTensors } from './generation/loadGenerator.ts'
import { ModelInputError } from './modelErrors.ts'
import { frozenParts } from './quantization/frozenParts.ts'
import type { Precision } from './quantization/precision.ts'
import { buildScoringModel } from './scoring/scoringGraph.ts'

/** Differences of a precision from float32 on the same tokens, over the next tokens. */
export interface PrecisionError {
  readonly precision: Precision
  /** Absolute difference of the next tokens' log-probabilities: mean and largest. */
  readonly meanLogprobError: number
  readonly maxLogprobError: number
  /** Mean divergence of the distribution from float32's, KL(float32 || precision), in nats. */
  readonly meanKl: number
  /** Share of positions at which both find the same token likeliest. */
  readonly greedyAgreement: number
}

export interface PrecisionComparison {
  /** Next tokens compared. */
  readonly positions: number
  readonly errors: readonly PrecisionError[]
}

/** Positions whose logits are in memory at a time, for each precision: 78 MB at a vocabulary of 151 936. */
const CHUNK_POSITIONS = 128

/**
 * Runs a model of a folder in float32 and in other precisions over the same sequences, and returns their differences from float32.
 *
 * @param sequences - token ids, two at least in each and no more than the model has positions.
 * @throws {ModelFileError} as `loadScorer`.
 * @throws {ModelInputError} on a sequence that is too long for the memory.
 */
export async function comparePrecisions(
  folder: string,
  sequences: readonly Int32Array[],
  precisions: readonly Precision[],
  options: Omit<LoadOptions, 'precision'> = {},
): Promise<PrecisionComparison> {
  const config = await readDecoderConfig(folder)
  requireMemory(config, sequences)
  const sessions: Session[] = []
  try {
    for (const precision of ['float32', ...precisions] as const) {
      const tensors = await openFrozenTensors(folder, config, { ...options, precision })
      const model = buildScoringModel(config, frozenParts(config, tensors), ['logits'])
      sessions.push(await createSession(model, { threads: options.threads ?? 2 }))
    }
    const [exact, ...others] = sessions as [Session, ...Session[]]
    const sums = precisions.map(() => ({ positions: 0, error: 0, worst: 0, kl: 0, agreed: 0 }))
    for (const tokens of sequences) {
      for (let from = 0; from < tokens.length - 1; from += CHUNK_POSITIONS) {
        options.signal?.throwIfAborted()
        const to = Math.min(tokens.length - 1, from + CHUNK_POSITIONS)
        const expected = await chunkLogits(config, exact, tokens, from, to)
        for (const [i, session] of others.entries())
          addErrors(
            sums[i] as ErrorSums,
            config.vocabSize,
            tokens.subarray(from + 1, to + 1),
            expected,
            await chunkLogits(config, session, tokens, from, to),
          )
      }
    }
    const errors = sums.map(({ positions, error, worst, kl, agreed }, i) => ({
      precision: precisions[i] as Precision,
      meanLogprobError: error / positions,
      maxLogprobError: worst,
      meanKl: kl / positions,
      greedyAgreement: agreed / positions,
    }))
    return { positions: sequences.reduce((sum, tokens) => sum + tokens.length - 1, 0), errors }
  } finally {
    for (const session of sessions) await session.dispose()
  }
}

function requireMemory(config: DecoderConfig, sequences: readonly Int32Array[]): void {
  const longest = sequences.reduce((most, { length }) => Math.max(most, length), 0)
  const problem = beyondMemory(longSequenceBytes(config, longest, CHUNK_POSITIONS))
  if (problem === undefined) return
  throw new ModelInputError(`${longest} tokens of a sequence ${problem}`, {
    hint: 'Compare on shorter sequences, or free some memory.',
  })
}

/**
 * Sequences that a model itself finds likely: sampled in float32 at temperature 1, each from its own first token.
 *
 * @param length - tokens of each, the first included.
 */
export async function sampleSequences(
  folder: string,
  { count, length, seed, threads }: { count: number; length: number; seed: string; threads: number },
): Promise<Int32Array[]> {
  const { vocabSize } = await readDecoderConfig(folder)
  const generator = await loadGenerator(folder, { threads })
  try {
    const prompts = Array.from({ length: count }, (_, i) => Int32Array.of(Math.floor((vocabSize * (i + 0.5)) / count)))
    const maxNewTokens = length - 1
    const sampling = { samplesPerPrompt: 1, maxNewTokens, temperature: 1, stopToken: -1, seed }
    const completions = await generator.generate({ prompts, ...sampling })
    return completions.map(({ prompt, tokens }) => Int32Array.of(...(prompts[prompt] as Int32Array), ...tokens))
  } finally {
    await generator.dispose()
  }
}

/** Logits after the tokens `from` to `to`, [to - from, V]. */
async function chunkLogits(
  config: DecoderConfig,
  session: Session,
  tokens: Int32Array,
  from: number,
  to: number,
): Promise<Float32Array> {
  const { cos, sin } = ropeTables(config, to)
  const rows = BigInt64Array.from({ length: to - from }, (_, i) => BigInt(from + i))
  const { logits } = await session.run({
    ids: tensor('i64', BigInt64Array.from(tokens.subarray(0, to), BigInt), [1, to]),
    cos: tensor('f32', cos, [to, config.headDim]),
    sin: tensor('f32', sin, [to, config.headDim]),
    rows: tensor('i64', rows, [rows.length]),
  })
  return (logits as Tensor<'f32'>).data
}

interface ErrorSums {
  positions: number
  error: number
  worst: number
  kl: number
  agreed: number
}

function addErrors(sums: ErrorSums, width: number, targets: Int32Array, p: Float32Array, q: Float32Array): void {
  for (const [row, target] of targets.entries()) {
    const [a, b] = [p, q].map(all => all.subarray(row * width, (row + 1) * width)) as [Float32Array, Float32Array]
    const [sumA, sumB] = [summary(a), summary(b)]
    const error = Math.abs((a[target] as number) - sumA.logSum - ((b[target] as number) - sumB.logSum))
    sums.positions++
    sums.error += error
    sums.worst = Math.max(sums.worst, error)
    sums.kl += divergence(a, b, sumA.logSum, sumB.logSum)
    if (sumA.likeliest === sumB.likeliest) sums.agreed++
  }
}

function summary(logits: Float32Array): { likeliest: number; logSum: number } {
  let likeliest = 0
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[likeliest] as number)) likeliest = i
  const most = logits[likeliest] as number
  let sum = 0
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] as number) - most)
  return { likeliest, logSum: most + Math.log(sum) }
}

function divergence(a: Float32Array, b: Float32Array, logSumA: number, logSumB: number): number {
  let kl = 0
  for (let i = 0; i < a.length; i++) {
    const logA = (a[i] as number) - logSumA
    kl += Math.exp(logA) * (logA - ((b[i] as number) - logSumB))
  }
  return kl
}
