import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { DatasetTask } from '#environments/builtIn.ts'
import { type Level, levels } from '#environments/level.ts'
import type { Refusal } from '#roles/datasets/datasetTasks.ts'
import type { Answerer, Figures, NumberedTask, TaskOutcome } from '#roles/datasets/evaluateTasks.ts'
import type { Values } from '../command.ts'
import { copyOptions } from '../options/copyOptions.ts'
import { openDatasetPath } from '../options/datasetPath.ts'
import { openModel } from '../options/modelOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { parseDevice } from '../options/parseDevice.ts'
import { parsePrecision } from '../options/parsePrecision.ts'
import { requestSampling } from '../options/parseSampling.ts'
import { whole } from '../options/whole.ts'
import { showShare } from '../showShare.ts'
import { UsageError } from '../usageError.ts'
import { openGenerator } from './openGenerator.ts'
import { readChatModel } from './readChatModel.ts'

/** Generated side by side: what a CPU gains most by. */
const ROWS = 8
/** Of the sandbox, for all tests of an answer: Pyodide takes some 4 times as long as CPython. */
const CASE_MS = 10_000

type ModelFigures = Figures & {
  readonly model: string
  readonly dataset: string
  readonly refused: readonly Refusal[]
}

/** Measures a chat model, or an adapter on it, on held-out tasks or those of a dataset. */
export async function evaluateModel(values: Values): Promise<ModelFigures> {
  const model = String(values.model)
  const samples = whole('samples', values.samples, 1, 1_000)
  const ks = readKs(values.k, samples)
  const seed = typeof values.seed === 'string' ? values.seed : null
  const maxNewTokens = whole('max-new-tokens', values['max-new-tokens'], 512, 100_000)
  const load = copyOptions(values)
  const { tasks, refused } = await readTasks(values, seed, load.signal)
  const { answer, settings, dispose } = await openAnswerer(model, values, { seed: seed ?? '0', samples, maxNewTokens })
  const { createSandbox } = await import('#sandbox/createSandbox.ts')
  const { evaluateTasks, figuresOf } = await import('#roles/datasets/evaluateTasks.ts')
  const { openOutcomes } = await import('#roles/datasets/keptOutcomes.ts')
  const { found, keep } = typeof values.out === 'string' ? await openOutcomes(values.out, settings) : nothingKept
  const sandbox = createSandbox({ caseTimeoutMs: CASE_MS })
  let [answered, solved] = [0, 0]
  const show = showShare(() => `${answered} of ${tasks.length} tasks, ${solved} of their answers pass`)
  const count = ({ verdicts }: TaskOutcome) => {
    answered += 1
    solved += verdicts.filter(verdict => verdict === 'pass').length
    show(answered / tasks.length)
  }
  for (const { place } of tasks) {
    const outcome = found.get(place)
    if (outcome) count(outcome)
  }
  const done = async (outcome: TaskOutcome) => {
    await keep(outcome)
    count(outcome)
  }
  try {
    const evaluation = { answer, sandbox, samples, rows: ROWS, kept: found, done, signal: load.signal }
    const outcomes = await evaluateTasks(tasks, evaluation)
    const dataset = typeof values.dataset === 'string' ? values.dataset : `held-out level ${values.level ?? 3}`
    return { model, dataset, ...figuresOf(outcomes, samples, ks), refused }
  } finally {
    await Promise.all([sandbox.close(), dispose()])
  }
}

const nothingKept = { found: new Map<string, TaskOutcome>(), keep: async () => {} }

function readKs(value: Values[string], samples: number): number[] {
  if (value === undefined) return [...new Set([1, samples])]
  const ks = String(value).split(',').map(Number)
  if (ks.every(k => Number.isInteger(k) && k >= 1 && k <= samples)) return ks
  throw new UsageError(`--k ${value} is out of range.`, {
    hint: `Give whole numbers from 1 to the number of --samples (${samples}), separated by commas.`,
  })
}

/** Tasks in the dataset's order, or drawn by the seed. */
async function readTasks(
  values: Values,
  seed: string | null,
  signal: AbortSignal | undefined,
): Promise<{ tasks: NumberedTask[]; refused: Refusal[] }> {
  const numbered = (task: DatasetTask, place: string, number: number) => ({ task, place, number })
  if (typeof values.dataset !== 'string') {
    const { heldOutDataset } = await import('#environments/builtIn.ts')
    const level = whole('level', values.level, 3, levels.length) as Level
    const held = await heldOutDataset(level, whole('tasks', values.tasks, 100, 1_000))
    return { tasks: held.map((task, number) => numbered(task, task.id, number)), refused: [] }
  }
  if (values.level !== undefined)
    throw new UsageError('--level is for held-out tasks.', { hint: 'Leave out --level, or --dataset.' })
  const most = whole('tasks', values.tasks, 100_000, 100_000)
  const { openDatasetTasks } = await import('#roles/datasets/datasetTasks.ts')
  const dataset = await openDatasetTasks(await openDatasetPath(values.dataset, values, signal), seed)
  const tasks: NumberedTask[] = []
  for await (const { task, place } of dataset.from({ pass: 0, taken: 0 })) {
    tasks.push(numbered(task, place, tasks.length))
    if (tasks.length === most) break
  }
  await dataset.close()
  const refused = dataset.refusals()
  for (const { reason, rows, file, row } of refused)
    console.error(`refused: ${rows} rows, first ${file}:${row}: ${reason}`)
  if (tasks.length > 0) return { tasks, refused }
  throw new UsageError(`${values.dataset} has no task that can be used.`, { hint: 'See what was refused, and why.' })
}

/** Loads the model. Its settings are all that its answers depend on. */
async function openAnswerer(
  named: string,
  values: Values,
  { seed, samples, maxNewTokens }: { seed: string; samples: number; maxNewTokens: number },
): Promise<{ answer: Answerer; settings: Record<string, unknown>; dispose: () => Promise<void> }> {
  const load = copyOptions(values)
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : undefined)
  const threads = whole('threads', values.threads, availableParallelism(), 256)
  const precision = parsePrecision(values.precision ?? 'float32')
  const device = await openDevice(parseDevice(values.device ?? 'cpu'), true)
  const folder = await openModel(named, { models: text('models'), hub: text('hub') }, load.signal)
  const { config, tokenizer, stopTokens, repetitionPenalty } = await readChatModel(folder)
  const isGreedy = values.greedy === true || (samples === 1 && values.temperature === undefined)
  const sampling = requestSampling({ ...values, greedy: isGreedy }, values.greedy === true ? repetitionPenalty : 1)
  const generator = await openGenerator(folder, config, text('adapter'), { ...load, threads, precision, device })
  const [stopToken = -1, ...moreStopTokens] = stopTokens
  const answer: Answerer = async (tasks, samplesPerPrompt) => {
    const asked = tasks.map(({ task, number }) => ({
      number,
      prompt: tokenizer.chatPrompt([
        { role: 'system', content: task.system },
        { role: 'user', content: task.question },
      ]),
    }))
    const fitting = asked.filter(({ prompt }) => prompt.length < config.maxPositions)
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
  const adapter = text('adapter')
  const weights = [folder, adapter].flatMap(of => (of === undefined ? [] : [weightsStamp(of)]))
  const dataset = { dataset: text('dataset') ?? null, level: values.level ?? null }
  const settings = { model: named, adapter: adapter ?? null, weights, ...dataset, samples, maxNewTokens, ...sampling }
  return { answer, settings: { ...settings, seed, precision, device }, dispose: () => generator.dispose() }
}

/** Of the files that hold weights: what is trained further in the same folder is another model. */
function weightsStamp(folder: string): string {
  const files = readdirSync(folder)
    .filter(name => name.endsWith('.safetensors'))
    .sort()
  const stats = files.map(name => ({ name, ...statSync(join(folder, name)) }))
  const text = stats.map(({ name, size, mtimeMs }) => `${name} ${size} ${mtimeMs}`).join()
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
