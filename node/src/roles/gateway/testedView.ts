import type { Clock } from '#core/clock.ts'
import type { PeerKey, TaskHash } from '#core/hashes.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import type { Logger } from '#core/logger.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Environment, ProposedTest } from '#environments/environment.ts'
import { createTokenBucket } from '#p2p/tokenBucket.ts'
import type { Sandbox, Verdict } from '#sandbox/createSandbox.ts'
import type { DiskGuard } from '#store/diskGuard.ts'
import type { Journal, JsonValue } from '#store/journal.ts'

/** Answers of one solver to one task. */
export type GroupRef = { round: number; task: TaskHash; peerKey: PeerKey }

/** Results of tests, for a page with answers. */
export type TestedView = {
  tests: string[]
  /** For each test, whether it matches the task; null if the environment cannot decide. */
  right: (boolean | null)[]
  /** Null if this gateway runs no answers at the moment. */
  answers: TestedAnswer[] | null
}

/** Each group costs a start of Python, and at worst some seconds of hanging code. Anybody may request it, so it gets only a part of a core's time. */
const [GROUPS_PER_SECOND, GROUPS_AT_ONCE] = [0.1, 24]
/** Bundles opened for requests, also of tasks that do not exist: the largest takes up to 90 ms of a core. */
const [READS_PER_SECOND, READS_AT_ONCE] = [2, 48]
/** Execution time that costs as much as another group. A client that asks for the slowest answers gets a fifth of a core at most. */
const GROUP_COSTS_MS = 2_500
/** Most answers of a group. Environments ask for fewer; a bundle cannot ask for more. */
const MAX_ANSWERS = 32

type Modules = {
  read: (group: GroupRef) => Promise<{ text: string; answers: { index: number; text: string }[] } | null>
  proposals: Pick<NonNullable<Environment['proposals']>, 'testsOf' | 'codeOf'> | null
  openSandbox: () => Sandbox
  journal: Pick<Journal, 'get' | 'set'>
  disk: Pick<DiskGuard, 'isFault'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

/**
 * Runs answers that a reader opens with the tests of their task, one group at a time, and stores the results.
 *
 * The results decide nothing: points come from the judge alone, and a proposer's tests may be wrong. A proposer's model writes many wrong tests. The
 * view marks them, so that nobody takes an answer that fails them for a wrong one.
 */
export function createTestedView({ read, proposals, openSandbox, journal, disk, clock, logger, signal }: Modules) {
  const budget = createTokenBucket(GROUPS_PER_SECOND, GROUPS_AT_ONCE, clock)
  const reads = createTokenBucket(READS_PER_SECOND, READS_AT_ONCE, clock)
  const sandboxMutex = createKeyedLimit(1)

  const known = (group: GroupRef) => journal.get(group.round, keyOf(group)) as TestedView | undefined

  async function measure(group: GroupRef): Promise<TestedView | null> {
    const made = known(group)
    if (made !== undefined) return made
    await clock.sleep(reads.takeMs(1), signal)
    const found = await read(group)
    const tests = (found && (await proposals?.testsOf(found.text))) ?? []
    if (found === null || tests.length === 0) return null
    const told = { tests: tests.map(({ source }) => source), right: tests.map(({ isRight }) => isRight) }
    if (signal.aborted || !budget.tryTake(1)) return { ...told, answers: null }
    const answers = await mapYielding(found.answers.slice(0, MAX_ANSWERS), async ({ index, text }) => {
      const code = (await proposals?.codeOf(text, found.text)) ?? null
      return { index, code }
    })
    // A sandbox for each solver, so that the code of one cannot affect another's.
    const sandbox = openSandbox()
    const startedMs = clock.nowMs()
    const tested = await runTests(sandbox, clock, tests, answers).finally(async () => {
      await sandbox.close()
      budget.takeMs(Math.max(0, clock.nowMs() - startedMs) / GROUP_COSTS_MS)
    })
    const view = { ...told, answers: tested }
    try {
      journal.set(group.round, keyOf(group), view satisfies JsonValue)
    } catch (error) {
      // This reader still gets the result. For the next one it runs again.
      if (!disk.isFault(error)) throw error
    }
    logger.debug('answers tested', { round: group.round, task: group.task, peerKey: group.peerKey })
    return view
  }

  return {
    /** Null if there is nothing to run. */
    answer: async (group: GroupRef): Promise<TestedView | null> =>
      known(group) ?? sandboxMutex.run('', () => measure(group)),
  }
}

const keyOf = ({ task, peerKey }: GroupRef): string => `tested ${task} ${peerKey}`

/** The outcome of an answer by each test, in order: null for a test that was not run. */
type TestedAnswer = { index: number; verdicts: (Verdict | null)[] }

/** Answers that hang before the rest is not run: each takes seconds of a core. */
export const MAX_HANGING = 2

/** From the first verdict on, which waits for the start of Python; then the rest is not run. A slow answer does not hang, and a crash costs two starts. */
export const GROUP_MS = 5_000

/**
 * Runs answers with a task's tests, one test at a time, so that each has its own verdict.
 *
 * @param answers - `code` is null if an answer has none: nothing of it is run.
 */
export async function runTests(
  sandbox: Pick<Sandbox, 'runTests'>,
  clock: Pick<Clock, 'nowMs'>,
  tests: readonly ProposedTest[],
  answers: readonly { index: number; code: string | null }[],
): Promise<TestedAnswer[]> {
  let hanging = 0
  let endsAtMs = Number.POSITIVE_INFINITY
  const tested: TestedAnswer[] = []
  for (const { index, code } of answers) {
    const verdicts: TestedAnswer['verdicts'] = []
    for (const test of tests) {
      const isOver = hanging >= MAX_HANGING || clock.nowMs() >= endsAtMs
      if (code === null || isOver || verdicts.includes('timeout')) {
        verdicts.push(null)
        continue
      }
      const [verdict = null] = await sandbox.runTests([{ code, tests: [test] }])
      verdicts.push(verdict)
      endsAtMs = Math.min(endsAtMs, clock.nowMs() + GROUP_MS)
    }
    if (verdicts.includes('timeout')) hanging += 1
    tested.push({ index, verdicts })
  }
  return tested
}
