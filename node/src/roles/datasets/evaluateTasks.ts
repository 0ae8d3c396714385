import type { DatasetTask } from '#environments/builtIn.ts'
import { type Estimate, meanWithInterval, passAtK } from '#rl/passAtK.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'

/** A task to answer, and its number, which seeds its random numbers. */
export type NumberedTask = { readonly task: DatasetTask; readonly place: string; readonly number: number }

/** A model's outcome on a task. */
export type TaskOutcome = {
  readonly id: string
  readonly place: string
  readonly verdicts: readonly Verdict[]
  readonly answers: readonly string[]
}

/** A model's answers: `samples` for each task, in order; none for a task that is too long. */
export type Answerer = (tasks: readonly NumberedTask[], samples: number) => Promise<string[][]>

type Evaluation = {
  readonly answer: Answerer
  readonly sandbox: Pick<Sandbox, 'runTests'>
  readonly samples: number
  /** Answers that are generated side by side. */
  readonly rows: number
  /** Outcomes of an earlier run, by place. */
  readonly kept: ReadonlyMap<string, TaskOutcome>
  /** Called with each new outcome. */
  readonly done: (outcome: TaskOutcome) => void | Promise<void>
  readonly signal?: AbortSignal | undefined
}

/** Lets a model answer tasks, and runs its answers. */
export async function evaluateTasks(
  tasks: readonly NumberedTask[],
  { answer, sandbox, samples, rows, kept, done, signal }: Evaluation,
): Promise<TaskOutcome[]> {
  const found = new Map(kept)
  const left = tasks.filter(({ place }) => !found.has(place))
  const together = Math.max(1, Math.floor(rows / samples))
  for (let from = 0; from < left.length; from += together) {
    signal?.throwIfAborted()
    const batch = left.slice(from, from + together)
    const answers = await answer(batch, samples)
    for (const [at, { task, place }] of batch.entries()) {
      const given = answers[at] ?? []
      const verdicts = given.length > 0 ? await sandbox.runTests(given.map(text => task.check(text))) : []
      // A task that was too long for the model counts as unsolved.
      const outcome = { id: task.id, place, answers: given, verdicts: verdicts.length > 0 ? verdicts : none(samples) }
      found.set(place, outcome)
      await done(outcome)
    }
  }
  return tasks.flatMap(({ place }) => found.get(place) ?? [])
}

const none = (samples: number): Verdict[] => Array.from({ length: samples }, () => 'error')

export type Figures = {
  readonly tasks: number
  readonly samples: number
  readonly passAtK: readonly ({ readonly k: number } & Estimate)[]
  readonly verdicts: Readonly<Record<Verdict, number>>
}

/** @param ks - each at most `samples`. */
export function figuresOf(outcomes: readonly TaskOutcome[], samples: number, ks: readonly number[]): Figures {
  const verdicts = { pass: 0, fail: 0, error: 0, timeout: 0 }
  for (const verdict of outcomes.flatMap(outcome => outcome.verdicts)) verdicts[verdict] += 1
  const passed = outcomes.map(outcome => outcome.verdicts.filter(verdict => verdict === 'pass').length)
  const estimates = ks.map(k => ({
    k,
    ...meanWithInterval(
      passed.map(count => passAtK(samples, count, k)),
      samples,
    ),
  }))
  return { tasks: outcomes.length, samples, passAtK: estimates, verdicts }
}
