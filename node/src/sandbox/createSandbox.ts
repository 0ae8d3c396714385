import type { CaseResult } from './runCode.ts'
import { type SandboxChild, startSandboxChild } from './startSandboxChild.ts'

/** An expression of Python (`f(2)`), and the `repr` that its value must have (`4`). */
export type SandboxTest = { expression: string; expected: string }
type SandboxCase = { code: string; tests: readonly SandboxTest[] }
/** Code, and expressions to evaluate after it. */
type SandboxEvaluation = { code: string; expressions: readonly string[] }

/**
 * The outcome of a case. `pass`: all tests hold. `fail`: a value differs. `error`: the code or a test raises, does not compile, runs out of memory,
 * or requests something that the sandbox refuses. `timeout`: the time limit passed.
 */
export type Verdict = 'pass' | 'fail' | 'error' | 'timeout'

export type Sandbox = {
  /**
   * One verdict per case, in order. Expected `repr`s are compared here and never known to the process that runs the code. An expression that is a
   * condition, as `not (f(2) == 4)`, holds by what the code itself says of equality.
   * A case that hangs or crashes costs a new process, not the other cases.
   */
  runTests(cases: readonly SandboxCase[]): Promise<Verdict[]>
  /**
   * The `repr` of each expression's value; null for one that raises or whose repr is longer than 400 bytes, and for all
   * of a case whose code fails as a whole.
   */
  evaluate(cases: readonly SandboxEvaluation[]): Promise<(string | null)[][]>
  close(): Promise<void>
}

type SandboxOptions = {
  /** Time for one case. 2 s: a right answer takes less than a millisecond, but the machine may be busy. */
  caseTimeoutMs?: number
  /** Python's memory. 512 MB: it starts at about 30. */
  memoryLimitMb?: number
}

/**
 * Python for measurement, never for a reward: Pyodide in a locked-down child process, for the cases of one peer.
 *
 * @throws {SandboxStartError} from a run, if the child does not start.
 */
export function createSandbox({ caseTimeoutMs = 2_000, memoryLimitMb = 512 }: SandboxOptions = {}): Sandbox {
  let child: SandboxChild | null = null
  let queue: Promise<unknown> = Promise.resolve()

  const liveChild = async (): Promise<SandboxChild> => {
    if (child?.isAlive()) return child
    await child?.stop()
    child = null
    child = await startSandboxChild(memoryLimitMb)
    return child
  }
  const runAll = async (cases: readonly SandboxEvaluation[]): Promise<CaseResult[]> => {
    const results: CaseResult[] = []
    for (const { code, expressions } of cases) {
      const given = { code, expressions, timeoutMs: caseTimeoutMs }
      let result = await (await liveChild()).ask(given)
      // An earlier case may have caused its end: a new process decides.
      if (result.outcome === 'broken') result = await (await liveChild()).ask(given)
      results.push(result.outcome === 'broken' ? { outcome: 'error' } : result)
    }
    return results
  }
  const enqueue = (cases: readonly SandboxEvaluation[]): Promise<CaseResult[]> => {
    const results = queue.then(() => runAll(cases))
    queue = results.catch(() => undefined)
    return results
  }

  return {
    runTests: async cases => {
      const results = await enqueue(
        cases.map(({ code, tests }) => ({ code, expressions: tests.map(({ expression }) => expression) })),
      )
      return cases.map(({ tests }, i) => verdictOf(results[i], tests))
    },
    evaluate: async cases => {
      const results = await enqueue(cases)
      return cases.map(({ expressions }, i) => {
        const result = results[i]
        return result?.outcome === 'values' ? result.values : expressions.map(() => null)
      })
    },
    close: async () => {
      await queue
      await child?.stop()
      child = null
    },
  }
}

/** The first test that does not hold decides. */
function verdictOf(result: CaseResult | undefined, tests: readonly SandboxTest[]): Verdict {
  if (result?.outcome !== 'values') return result?.outcome ?? 'error'
  const missed = tests.findIndex(({ expected }, i) => result.values[i] !== expected)
  if (missed < 0) return 'pass'
  return result.values[missed] === null ? 'error' : 'fail'
}
