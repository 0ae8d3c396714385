import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ChildLine, type SandboxChild, startSandboxChild } from './startSandboxChild.ts'

/** Code, and tests as Python statements (`assert f(2) == 4`). */
export type SandboxCase = { code: string; tests: readonly string[] }
/** Code, and expressions to evaluate after it, one line each. */
export type SandboxEvaluation = { code: string; expressions: readonly string[] }

/**
 * What became of a case: all tests hold; an assertion fails; the code or a test raises, does not compile, or runs
 * out of memory; the time limit passed.
 */
export type Verdict = 'pass' | 'fail' | 'error' | 'timeout'

export type Sandbox = {
  /** One verdict a case, in order. A case that hangs or crashes costs a new process, not the other cases. */
  runTests(cases: readonly SandboxCase[]): Promise<Verdict[]>
  /**
   * The `repr` of each expression's value; null for one that raises or whose repr is longer than 400 characters,
   * and for all of a case whose code fails as a whole.
   */
  evaluate(cases: readonly SandboxEvaluation[]): Promise<(string | null)[][]>
  close(): Promise<void>
}

export type SandboxOptions = {
  /** Time for one case. 2 s: a right answer takes less than a millisecond, but the machine may be busy. */
  caseTimeoutMs?: number
  /** Python's memory. 512 MB: it starts at about 20. */
  memoryLimitMb?: number
}

type Job = { code: string; tests: string; isExpressions: boolean }

/** A hang is first ended inside Python; the process is killed this much later where that does not help. */
const KILL_GRACE_MS = 500

/**
 * Python for measurement, never for a reward: Pyodide in a locked-down child process.
 *
 * @throws {SandboxStartError} from the first run, where the child does not start.
 */
export function createSandbox({ caseTimeoutMs = 2_000, memoryLimitMb = 512 }: SandboxOptions = {}): Sandbox {
  let child: Promise<SandboxChild> | null = null
  let queue: Promise<unknown> = Promise.resolve()
  const start = () => {
    child ??= startSandboxChild({ ...childPaths(), caseTimeoutMs, memoryLimitMb })
    return child
  }

  /** Runs jobs until the child stops; returns the outcomes it gave, the last of them for a job that stopped it. */
  const runUntilStop = async (jobs: readonly Job[]): Promise<string[]> => {
    const running = await start()
    const outcomes: string[] = []
    const lines = running.send({ cases: jobs }, caseTimeoutMs + KILL_GRACE_MS, jobs.length)
    for await (const line of lines) outcomes.push(outcomeOf(line))
    if (outcomes.length === jobs.length && running.isAlive()) return outcomes
    child = null
    await running.stop()
    return outcomes
  }

  const runAll = async (jobs: readonly Job[]): Promise<string[]> => {
    const outcomes: string[] = []
    while (outcomes.length < jobs.length) outcomes.push(...(await runUntilStop(jobs.slice(outcomes.length))))
    return outcomes
  }

  const enqueue = (jobs: readonly Job[]): Promise<string[]> => {
    const result = queue.then(() => runAll(jobs))
    queue = result.catch(() => undefined)
    return result
  }

  return {
    runTests: async cases => {
      const jobs = cases.map(({ code, tests }) => ({ code, tests: tests.join('\n'), isExpressions: false }))
      return (await enqueue(jobs)) as Verdict[]
    },
    evaluate: async cases => {
      const jobs = cases.map(c => ({ code: c.code, tests: c.expressions.join('\n'), isExpressions: true }))
      const outcomes = await enqueue(jobs)
      return cases.map((c, i) => readValues(outcomes[i] ?? 'error', c.expressions.length))
    },
    close: async () => {
      await queue
      const running = await child?.catch(() => null)
      child = null
      await running?.stop()
    },
  }
}

function outcomeOf(line: ChildLine): string {
  if (line.kind === 'outcome') return line.outcome
  return line.kind === 'silent' ? 'timeout' : 'error'
}

function readValues(outcome: string, count: number): (string | null)[] {
  const [head, ...values] = outcome.split('\n')
  return Array.from({ length: count }, (_, i) => (head === 'values' ? values[i] || null : null))
}

function childPaths(): { pyodideUrl: string; pyodideFolder: string; sandboxFolder: string } {
  const entry = createRequire(import.meta.url).resolve('pyodide/pyodide.mjs')
  return {
    pyodideUrl: pathToFileURL(entry).href,
    pyodideFolder: dirname(entry),
    sandboxFolder: dirname(fileURLToPath(import.meta.url)),
  }
}
