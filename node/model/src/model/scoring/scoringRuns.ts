import type { DecoderConfig } from '../decoder/decoderConfig.ts'

/** Tokens to read, and tokens to score after some of them. */
export interface ScoringTask {
  readonly read: Int32Array
  /** [M]; `positions` likewise: the index into `read` after which each is scored. */
  readonly targets: Int32Array
  readonly positions: Int32Array
}

/** Some tasks as the inputs of one run. */
export interface ScoringRun {
  /** Indices of the tasks. */
  readonly indices: readonly number[]
  readonly tasks: readonly ScoringTask[]
  /** Padded tokens of each. */
  readonly length: number
  /** [tasks.length * length]. */
  readonly ids: BigInt64Array
  /** [M], a whole number of steps: the requested rows, then padding; `targets` likewise. */
  readonly rows: BigInt64Array
  readonly targets: BigInt64Array
}

/** Padded tokens in one run: enough rows for full products, few enough that their activations stay in the cache. */
const RUN_TOKENS = 1024

/** Logits in one run: 128 MB. A single sequence may have more. */
const RUN_LOGITS = 1 << 25

/**
 * A sequence is padded to a multiple of this, and runs only with sequences padded to the same length. Padding to the longest sequence of a call
 * would change the order in which a softmax adds, and so the last bit of a score. The requested rows are padded too: a product with one row is
 * computed differently from one with many.
 */
const STEP = 16

const padded = (count: number) => Math.max(1, Math.ceil(count / STEP)) * STEP

/** Divides tasks into runs, each of one padded length and of a size that fits memory and caches. */
export function* scoringRuns({ vocabSize }: DecoderConfig, tasks: readonly ScoringTask[]): Generator<ScoringRun> {
  const open = new Map<number, number[]>()
  const groups: { length: number; indices: number[] }[] = []
  const asked = (indices: readonly number[]) =>
    indices.reduce((sum, i) => sum + (tasks[i] as ScoringTask).targets.length, 0)
  for (const [i, { read, targets }] of tasks.entries()) {
    const length = padded(read.length)
    let indices = open.get(length)
    const isFull = (with_: readonly number[]) =>
      (with_.length + 1) * length > RUN_TOKENS || padded(asked(with_) + targets.length) * vocabSize > RUN_LOGITS
    if (!indices || isFull(indices)) {
      indices = []
      open.set(length, indices)
      groups.push({ length, indices })
    }
    indices.push(i)
  }
  for (const { length, indices } of groups) {
    yield fill(
      length,
      indices,
      indices.map(i => tasks[i] as ScoringTask),
    )
  }
}

function fill(length: number, indices: readonly number[], tasks: readonly ScoringTask[]): ScoringRun {
  const count = padded(tasks.reduce((sum, { targets }) => sum + targets.length, 0))
  const ids = new BigInt64Array(tasks.length * length)
  const [rows, targets] = [new BigInt64Array(count), new BigInt64Array(count)]
  let m = 0
  for (const [b, task] of tasks.entries()) {
    for (const [t, token] of task.read.entries()) ids[b * length + t] = BigInt(token)
    for (const [i, target] of task.targets.entries()) {
      rows[m] = BigInt(b * length + (task.positions[i] as number))
      targets[m++] = BigInt(target)
    }
  }
  return { indices, tasks, length, ids, rows, targets }
}
