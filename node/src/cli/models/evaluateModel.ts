import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetTask } from '#environments/builtIn.ts'
import type { Level } from '#environments/level.ts'
import { filesStamp } from '#hub/filesStamp.ts'
import type { Refusal } from '#roles/datasets/datasetTasks.ts'
import type { Answerer, Figures, NumberedTask, TaskOutcome } from '#roles/datasets/evaluateTasks.ts'
import { atMost } from '../defineCommand.ts'
import { openDatasetPath } from '../options/datasetPath.ts'
import { type EvalValues, MAX_HELD_OUT_TASKS, MAX_TASKS } from '../options/evalOptions.ts'
import { openModel } from '../options/modelOptions.ts'
import { loadOptions } from '../options/runOptions.ts'
import { requestSampling } from '../options/sampling.ts'
import { showShare } from '../showShare.ts'
import { untilInterrupted } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'
import { openGenerator } from './openGenerator.ts'
import { readChatModel } from './readChatModel.ts'
import { createTaskPrompts, type TaskPrompts } from './taskPrompts.ts'

/** Batch size with the best throughput on a CPU. */
const ROWS = 8
/** Time limit of the sandbox for all tests of an answer. Pyodide takes about 4 times as long as CPython. */
const CASE_MS = 10_000

type ModelFigures = Figures & {
  readonly model: string
  readonly dataset: string
  /** Rows that are not tasks, and tasks that the model cannot be asked: those count as unsolved. */
  readonly refused: readonly Refusal[]
}

type ModelValues = EvalValues & { readonly model: string }

/** Measures a chat model, or an adapter on it, on held-out tasks or those of a dataset. */
export async function evaluateModel(values: ModelValues): Promise<ModelFigures> {
  const { model, samples = 1, out } = values
  const ks = readKs(values.k, samples)
  const signal = untilInterrupted()
  const { checkWritable, openOutcomes } = await import('#roles/datasets/keptOutcomes.ts')
  if (out !== undefined) await checkWritable(out)
  const { tasks, refused, stamp } = await readTasks(values, signal)
  const { answer, prompts, settings, dispose } = await openAnswerer(values, samples)
  const { createSandbox } = await import('#sandbox/createSandbox.ts')
  const { evaluateTasks, figuresOf } = await import('#roles/datasets/evaluateTasks.ts')
  const { found, keep } =
    out !== undefined ? await openOutcomes(out, { ...settings, datasetFiles: stamp }) : nothingKept
  const sandbox = createSandbox({ caseTimeoutMs: CASE_MS })
  let [answered, solved] = [0, 0]
  const show = showShare(() => `${answered} of ${tasks.length} tasks, ${solved} of their answers pass`)
  const count = ({ verdicts }: TaskOutcome) => {
    answered += 1
    solved += verdicts.filter(verdict => verdict === 'pass').length
    show(answered / tasks.length)
  }
  for (const task of tasks) {
    const outcome = found.get(task.place)
    if (!outcome) continue
    count(outcome)
    // An earlier run had no prompt for it: this one tells why.
    if (outcome.answers.length === 0) prompts.promptOf(task)
  }
  const done = async (outcome: TaskOutcome) => {
    await keep(outcome)
    count(outcome)
  }
  try {
    const evaluation = { answer, sandbox, samples, rows: ROWS, kept: found, done, signal }
    const outcomes = await evaluateTasks(tasks, evaluation)
    const dataset = values.dataset ?? `held-out level ${values.level ?? 3}`
    const unasked = prompts.refusals()
    tellRefusals(unasked)
    return { model, dataset, ...figuresOf(outcomes, samples, ks), refused: [...refused, ...unasked] }
  } finally {
    await Promise.all([sandbox.close(), dispose()])
  }
}

function tellRefusals(refusals: readonly Refusal[]): void {
  for (const { reason, rows, file, row } of refusals)
    console.error(`refused: ${rows} rows, first ${file}:${row}: ${reason}`)
}

const nothingKept = { found: new Map<string, TaskOutcome>(), keep: async () => {} }

function readKs(ks: readonly number[] | undefined, samples: number): readonly number[] {
  if (ks === undefined) return [...new Set([1, samples])]
  if (ks.every(k => k >= 1 && k <= samples)) return ks
  throw new UsageError(`--k ${ks} is out of range.`, {
    hint: `Give whole numbers from 1 to the number of --samples (${samples}), separated by commas.`,
  })
}

/** Tasks in the dataset's order, or drawn by the seed, with the stamp of the dataset's files: null for held-out tasks, which have none. */
async function readTasks(
  { dataset: named, level, tasks: wanted, seed, ...hub }: ModelValues,
  signal: AbortSignal | undefined,
): Promise<{ tasks: NumberedTask[]; refused: Refusal[]; stamp: string | null }> {
  const numbered = (task: DatasetTask, place: string, number: number) => ({ task, place, number })
  if (named === undefined) {
    const { heldOutDataset } = await import('#environments/builtIn.ts')
    const count = atMost('tasks', wanted ?? 100, MAX_HELD_OUT_TASKS)
    const held = await heldOutDataset((level ?? 3) as Level, count)
    return { tasks: held.map((task, number) => numbered(task, task.id, number)), refused: [], stamp: null }
  }
  if (level !== undefined)
    throw new UsageError('--level is for held-out tasks.', { hint: 'Leave out --level, or --dataset.' })
  const { openDatasetTasks } = await import('#roles/datasets/datasetTasks.ts')
  const dataset = await openDatasetTasks(await openDatasetPath(named, hub, signal), seed ?? null, 'measuring')
  const tasks: NumberedTask[] = []
  for await (const { task, place } of dataset.from({ pass: 0, taken: 0 })) {
    tasks.push(numbered(task, place, tasks.length))
    if (tasks.length === (wanted ?? MAX_TASKS)) break
  }
  await dataset.close()
  const refused = dataset.refusals()
  tellRefusals(refused)
  if (tasks.length > 0) return { tasks, refused, stamp: dataset.stamp }
  throw new UsageError(`${named} has no task that can be used.`, { hint: 'See what was refused, and why.' })
}

/** Loads the model. Its settings are all that its answers depend on. */
async function openAnswerer(
  values: ModelValues,
  samples: number,
): Promise<{
  answer: Answerer
  prompts: TaskPrompts
  settings: Record<string, unknown>
  dispose: () => Promise<void>
}> {
  const { adapter, seed = '0', 'max-new-tokens': maxNewTokens = 512 } = values
  const load = await loadOptions(values)
  const folder = await openModel(values.model, values, load.signal)
  const { config, tokenizer, stopTokens, repetitionPenalty } = await readChatModel(folder)
  const isGreedy = values.greedy || (samples === 1 && values.temperature === undefined)
  const sampling = requestSampling({ ...values, greedy: isGreedy }, values.greedy ? repetitionPenalty : 1)
  const generator = await openGenerator(folder, config, adapter, load)
  const [stopToken = -1, ...moreStopTokens] = stopTokens
  const prompts = createTaskPrompts(tokenizer, config.maxPositions)
  const answer: Answerer = async (tasks, samplesPerPrompt) => {
    const asked = tasks.map(task => ({ number: task.number, prompt: prompts.promptOf(task) }))
    const fitting = asked.flatMap(({ number, prompt }) => (prompt === null ? [] : { number, prompt }))
    const answers = new Map(asked.map(({ number }) => [number, [] as string[]]))
    if (fitting.length === 0) return [...answers.values()]
    const completions = await generator.generate({
      ...{ prompts: fitting.map(({ prompt }) => prompt), promptNumbers: fitting.map(({ number }) => number) },
      ...{ samplesPerPrompt, maxNewTokens, ...sampling, stopToken, moreStopTokens, seed },
      ...(load.signal ? { signal: load.signal } : {}),
    })
    for (const { prompt, tokens } of completions)
      answers.get((fitting[prompt] as (typeof fitting)[number]).number)?.push(tokenizer.decode(tokens))
    return [...answers.values()]
  }
  const weights = await Promise.all([folder, adapter].flatMap(of => (of === undefined ? [] : [weightsStamp(of)])))
  const dataset = { dataset: values.dataset ?? null, level: values.level ?? null }
  const settings = {
    model: values.model,
    adapter: adapter ?? null,
    weights,
    ...dataset,
    samples,
    maxNewTokens,
    ...sampling,
  }
  const { precision, device } = load
  return { answer, prompts, settings: { ...settings, seed, precision, device }, dispose: () => generator.dispose() }
}

/** Stamp of the files that hold weights: it changes if training continues in the same folder. */
async function weightsStamp(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.safetensors')).sort()
  return filesStamp(names.map(name => ({ path: join(folder, name), name })))
}
