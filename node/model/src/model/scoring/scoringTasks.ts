import { setImmediate } from 'node:timers/promises'
import { type Session, type Tensor, tensor } from '#engine/session.ts'
import { beyondMemory, longSequenceBytes } from '../beyondMemory.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ropeTables } from '../decoder/rope.ts'
import { ModelInputError } from '../modelErrors.ts'
import { type ScoringRun, type ScoringTask, scoringRuns } from './scoringRuns.ts'

export interface SequenceToScore {
  readonly tokens: Int32Array
  /** Index of the first token that is scored, >= 1; all from it on are. */
  readonly from: number
}

/** Candidates for the next token. */
export interface TokenChoice {
  /** Tokens that the model has read, at least one. */
  readonly tokens: Int32Array
  readonly candidates: readonly number[]
}

/** The graph's outputs for the targets of one task: for each output an array of `targets.length`, or of as many rows. */
type TaskOutputs<Output extends string> = Record<Output, Float32Array>

/**
 * Runs tasks on a session of `buildScoringModel` or `buildDrawsModel`, in the order given.
 *
 * @param outputs - names of the outputs that are read, each f32 [M], or [M, V].
 * @param feeds - inputs beyond those of the tokens.
 * @param what - names the tasks in errors.
 * @param read - reduces a task's outputs to the values to keep, since rows of a vocabulary are too large; by default keeps the outputs.
 * @throws {ModelInputError} if a task needs more memory than is available.
 */
export async function runScoringTasks<
  Output extends string,
  Result = TaskOutputs<Output>,
  Task extends ScoringTask = ScoringTask,
>(
  { config, session, outputs, feeds = {} }: ScoringSession<Output>,
  tasks: readonly Task[],
  what: string,
  signal?: AbortSignal,
  read: (outputs: TaskOutputs<Output>, task: Task) => Result = outputs => outputs as Result,
): Promise<Result[]> {
  requireMemory(config, tasks, what)
  const results: Result[] = []
  for (const run of scoringRuns(config, tasks)) {
    signal?.throwIfAborted()
    const given = await session.run({ ...tokenFeeds(config, run, session), ...feeds }, outputs)
    for (const [index, part] of partsOf(run, given, outputs)) results[index] = read(part, tasks[index] as Task)
    await setImmediate() // runs block the thread: let an abort in
  }
  return results
}

interface ScoringSession<Output extends string> {
  readonly config: DecoderConfig
  readonly session: Session
  readonly outputs: readonly Output[]
  readonly feeds?: Readonly<Record<string, Tensor>>
}

function tokenFeeds(
  config: DecoderConfig,
  { ids, rows, targets, length, tasks }: ScoringRun,
  { model }: Session,
): Record<string, Tensor> {
  const { cos, sin } = ropeTables(config, length)
  return {
    ids: tensor('i64', ids, [tasks.length, length]),
    cos: tensor('f32', cos, [length, config.headDim]),
    sin: tensor('f32', sin, [length, config.headDim]),
    rows: tensor('i64', rows, [rows.length]),
    ...(model.inputs.has('targets') ? { targets: tensor('i64', targets, [targets.length]) } : {}),
  }
}

function* partsOf<Output extends string>(
  { indices, tasks, rows }: ScoringRun,
  given: Readonly<Record<string, Tensor>>,
  outputs: readonly Output[],
): Generator<[index: number, part: TaskOutputs<Output>]> {
  let start = 0
  for (const [i, { targets }] of tasks.entries()) {
    const end = start + targets.length
    const part = outputs.map(name => {
      const { data } = given[name] as Tensor<'f32'>
      const width = data.length / rows.length
      return [name, data.slice(start * width, end * width)]
    })
    yield [indices[i] as number, Object.fromEntries(part) as TaskOutputs<Output>]
    start = end
  }
}

/** Tokens of a sequence from `from` on, as a task. */
export function sequenceTask(config: DecoderConfig, { tokens, from }: SequenceToScore, index: number): ScoringTask {
  if (!Number.isInteger(from) || from < 1 || from > tokens.length)
    throw refuse(`sequence ${index} is scored from ${from} of ${tokens.length}`)
  checkTokens(config, tokens, tokens.length - 1, `sequence ${index}`)
  const targets = tokens.subarray(from)
  return { read: tokens.subarray(0, -1), targets, positions: Int32Array.from(targets, (_, i) => from + i - 1) }
}

export function choiceTask(config: DecoderConfig, { tokens, candidates }: TokenChoice, index: number): ScoringTask {
  if (tokens.length === 0) throw refuse(`choice ${index} has no tokens`)
  const targets = Int32Array.from(candidates)
  checkTokens(config, tokens, tokens.length, `choice ${index}`)
  checkTokens(config, targets, 0, `choice ${index}`)
  return { read: tokens, targets, positions: new Int32Array(targets.length).fill(tokens.length - 1) }
}

function checkTokens(config: DecoderConfig, tokens: Int32Array, read: number, what: string): void {
  if (read > config.maxPositions) throw refuse(`${what} has ${read} tokens for ${config.maxPositions} positions`)
  const unknown = tokens.find(token => token < 0 || token >= config.vocabSize)
  if (unknown !== undefined) throw refuse(`${what} has token ${unknown} of a vocabulary of ${config.vocabSize}`)
}

/** A run has one sequence, or several short ones, so the longest sequences are checked, each alone. */
function requireMemory(config: DecoderConfig, tasks: readonly ScoringTask[], what: string): void {
  const bytes = tasks.map(({ read, targets }) => longSequenceBytes(config, read.length, targets.length))
  const largest = bytes.reduce((most, count, i) => (count > (bytes[most] as number) ? i : most), 0)
  const problem = beyondMemory(bytes[largest] ?? 0)
  if (problem === undefined) return
  throw new ModelInputError(`${tasks[largest]?.read.length} tokens of ${what} ${largest} at once ${problem}`, {
    hint: 'Score shorter sequences, or fewer tokens of each, or free some memory.',
  })
}

const refuse = (message: string) =>
  new ModelInputError(message, { hint: 'Check that the tokens come from this model’s tokenizer and fit its length.' })
