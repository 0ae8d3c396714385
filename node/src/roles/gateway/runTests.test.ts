import { expect, test } from 'vitest'
import { createManualClock, systemClock } from '#core/clock.ts'
import { proposedTests } from '#environments/codezero/proposedTests.ts'
import type { Sandbox } from '#sandbox/createSandbox.ts'
import { createSandbox } from '#sandbox/createSandbox.ts'
import { GROUP_MS, MAX_HANGING, runTests } from './runTests.ts'

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
