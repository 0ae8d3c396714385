import { expect, test } from 'vitest'
import { createManualClock, systemClock } from '#core/clock.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { proposedTests } from '#environments/codezero/proposedTests.ts'
import { createSandbox, type Sandbox } from '#sandbox/createSandbox.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createTestedView, GROUP_MS, type GroupRef, MAX_HANGING, runTests } from './testedView.ts'

const TEXT = 'Write f(n). Return n doubled.\nassert f(2) == 4'
const group = (round: number): GroupRef => ({ round, task: ZERO_HASH, peerKey: ZERO_HASH })

function openView(text = TEXT, answers = [{ index: 3, text: 'right' }], runsMs = 0) {
  const clock = createManualClock()
  const db = openDatabase(':memory:')
  const journal = createJournal(db, clock)
  const disk = createDiskGuard({ folder: '', clock, logger: silentLogger, readFree: async () => 2 ** 40 })
  const opened: string[] = []
  const asked: number[] = []
  const openSandbox = (): Sandbox => ({
    async runTests(cases) {
      clock.advance(runsMs)
      return cases.map(({ code }) => (code === 'right' ? 'pass' : 'fail'))
    },
    evaluate: async () => [],
    close: async () => void opened.push('closed'),
  })
  const view = createTestedView({
    async read({ round }) {
      asked.push(round)
      return round < 100 ? { text, answers } : null
    },
    proposals: { testsOf: proposedTests, codeOf: async answer => answer },
    ...{ openSandbox, journal, disk, clock, logger: silentLogger, signal: new AbortController().signal },
  })
  return { view, clock, opened, asked, db }
}

test('answers are run once, in their own sandbox, whatever number of readers asks', async () => {
  const { view, opened } = openView()
  const asked = await Promise.all([1, 1, 1].map(round => view.answer(group(round))))
  const told = { tests: ['assert f(2) == 4'], right: [null], answers: [{ index: 3, verdicts: ['pass'] }] }
  expect(asked).toEqual([told, told, told])
  expect(opened).toEqual(['closed'])
})

test('results of executed answers are shown though the disk is full, and kept once there is space', async () => {
  const { view, opened, db } = openView(
    TEXT,
    Array.from({ length: 32 }, (_, index) => ({ index, text: 'right' })),
  )
  // SQLite's own limit: a real SQLITE_FULL.
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  db.exec(`PRAGMA max_page_count = ${pages}`)
  const told = await Promise.all([...Array(20).keys()].map(round => view.answer(group(round))))
  expect(told.map(one => one?.answers?.length)).toEqual(Array(20).fill(32))
  expect((await view.answer(group(19)))?.answers).toHaveLength(32)
  expect(opened).toHaveLength(21)
  db.exec('PRAGMA max_page_count = 1000000')
  await view.answer(group(19))
  await view.answer(group(19))
  expect(opened).toHaveLength(22)
})

test('a test that expects another value than the task asks for is told apart', async () => {
  const text = 'Write f(a, b). Return a plus b.\nassert f(1, 2) == 3\nassert f(2, 2) == 5'
  expect(await openView(text).view.answer(group(1))).toMatchObject({ right: [true, false] })
})

test('a request for many groups executes some of them, and the others later', async () => {
  const { view, clock, opened } = openView()
  for (let round = 0; round < 30; round++) await view.answer(group(round))
  expect(opened).toHaveLength(24)
  expect(await view.answer(group(29))).toMatchObject({ tests: ['assert f(2) == 4'], answers: null })
  clock.advance(10_000)
  expect(await view.answer(group(29))).toMatchObject({ answers: [{ verdicts: ['pass'] }] })
})

test('no answer is executed of a missing group, of a task without tests, or beyond the answers of a task', async () => {
  const { view, opened } = openView()
  expect(await view.answer(group(100))).toBeNull()
  expect(await openView('Which is larger?').view.answer(group(1))).toBeNull()
  expect(opened).toEqual([])
  const many = Array.from({ length: 500 }, (_, index) => ({ index, text: 'wrong' }))
  expect((await openView(TEXT, many).view.answer(group(1)))?.answers).toHaveLength(32)
})

test('requests for tasks that do not exist open two bundles a second', async () => {
  const { view, clock, asked } = openView()
  const told = Array.from({ length: 200 }, (_, at) => view.answer(group(100 + at)))
  for (let second = 0; second < 10; second++) {
    for (let turns = 0; turns < 400; turns++) await Promise.resolve()
    clock.advance(1_000)
  }
  expect(asked.length).toBeLessThanOrEqual(48 + 20)
  expect(await told[0]).toBeNull()
})

test('groups that take long leave the processor to others for four times as long', async () => {
  const { view, clock, opened } = openView(TEXT, [{ index: 3, text: 'right' }], 10_000)
  for (let round = 0; round < 30; round++) await view.answer(group(round))
  // Each takes five of what is there for 24, and one comes back meanwhile.
  expect(opened).toHaveLength(6)
  for (let round = 30; round < 60; round++) {
    clock.advance(10_000)
    await view.answer(group(round))
  }
  expect(opened).toHaveLength(6 + 8)
})

const PROPOSAL = 'Write f(n). Return n doubled.\nassert f(2) == 4\nassert f(0) == 0\nassert f(-1) == -3'

test('each test of a proposal has a verdict for each answer, by running it', async () => {
  const sandbox = createSandbox({ memoryLimitMb: 256 })
  const codes = [
    'def f(n):\n    return 2 * n\n',
    'def f(n):\n    return 4 // n * n // n + n\n',
    'def f(n:\n',
    null,
    // Its own idea of equality decides nothing but what it says of itself.
    'class Always:\n    def __eq__(self, other):\n        return True\ndef f(n):\n    return Always()\n',
  ]
  const answers = codes.map((code, index) => ({ index: index + 8, code }))
  const tested = await runTests(sandbox, systemClock, await proposedTests(PROPOSAL), answers).finally(sandbox.close)
  expect(tested).toEqual([
    // The third test is wrong, as tests of a model may be.
    { index: 8, verdicts: ['pass', 'pass', 'fail'] },
    { index: 9, verdicts: ['pass', 'error', 'fail'] },
    { index: 10, verdicts: ['error', 'error', 'error'] },
    { index: 11, verdicts: [null, null, null] },
    { index: 12, verdicts: ['pass', 'pass', 'pass'] },
  ])
})

test('after an answer that hangs its other tests are not run, and after some of them nothing more', async () => {
  const ran: string[] = []
  const sandbox: Pick<Sandbox, 'runTests'> = {
    async runTests(cases) {
      ran.push(...cases.map(({ code }) => code))
      return cases.map(({ code }) => (code === 'hangs' ? 'timeout' : 'pass'))
    },
  }
  const answers = ['hangs', 'right', 'hangs', 'right'].map((code, index) => ({ index, code }))
  const tested = await runTests(sandbox, createManualClock(), (await proposedTests(PROPOSAL)).slice(0, 2), answers)
  expect(tested.map(({ verdicts }) => verdicts)).toEqual([
    ['timeout', null],
    ['pass', 'pass'],
    ['timeout', null],
    [null, null],
  ])
  expect(ran.filter(code => code === 'hangs')).toHaveLength(MAX_HANGING)
})

test('answers that are slow or crash, and never hang, have no more than their time', async () => {
  const clock = createManualClock()
  let ran = 0
  const sandbox: Pick<Sandbox, 'runTests'> = {
    async runTests(cases) {
      // The first waits for the start of Python, on a busy machine much longer.
      clock.advance(ran === 0 ? 60_000 : 1_900)
      ran += cases.length
      return cases.map(() => 'error')
    },
  }
  const answers = Array.from({ length: 32 }, (_, index) => ({ index, code: 'slow' }))
  const tested = await runTests(sandbox, clock, await proposedTests(PROPOSAL), answers)
  expect(ran).toBe(1 + Math.ceil(GROUP_MS / 1_900))
  expect(tested[0]?.verdicts).toEqual(['error', 'error', 'error'])
  expect(tested[31]?.verdicts).toEqual([null, null, null])
})

test('a text that is not a proposal has no tests', async () => {
  expect(await proposedTests('def f(n):\n    pass\nassert f(1) == 1')).toEqual([])
})
