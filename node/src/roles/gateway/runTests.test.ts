import { expect, test } from 'vitest'
import { proposedTests } from '#environments/codezero/proposedTests.ts'
import type { Sandbox } from '#sandbox/createSandbox.ts'
import { createSandbox } from '#sandbox/createSandbox.ts'
import { MAX_HANGING, runTests } from './runTests.ts'

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
  const tested = await runTests(sandbox, await proposedTests(PROPOSAL), answers).finally(sandbox.close)
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
  const tested = await runTests(sandbox, (await proposedTests(PROPOSAL)).slice(0, 2), answers)
  expect(tested.map(({ verdicts }) => verdicts)).toEqual([
    ['timeout', null],
    ['pass', 'pass'],
    ['timeout', null],
    [null, null],
  ])
  expect(ran.filter(code => code === 'hangs')).toHaveLength(MAX_HANGING)
})

test('a text that is not a proposal has no tests', async () => {
  expect(await proposedTests('def f(n):\n    pass\nassert f(1) == 1')).toEqual([])
})
