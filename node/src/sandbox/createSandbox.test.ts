import { afterAll, expect, test } from 'vitest'
import { createSandbox } from './createSandbox.ts'

const sandbox = createSandbox({ caseTimeoutMs: 800, memoryLimitMb: 256 })
afterAll(() => sandbox.close())

const double = 'def f(x):\n    return x * 2\n'

test('A case passes, fails or errs by its tests.', async () => {
  const verdicts = await sandbox.runTests([
    { code: double, tests: ['assert f(2) == 4', 'assert f(0) == 0'] },
    { code: double, tests: ['assert f(2) == 4', 'assert f(3) == 5'] },
    { code: 'def f(x):\n    return y\n', tests: ['assert f(2) == 4'] },
    { code: 'def f(x:\n', tests: ['assert f(2) == 4'] },
  ])
  expect(verdicts).toEqual(['pass', 'fail', 'error', 'error'])
})

test('An endless loop in one case does not lose the others.', async () => {
  const verdicts = await sandbox.runTests([
    { code: double, tests: ['assert f(2) == 4'] },
    { code: 'def f(x):\n    while True:\n        pass\n', tests: ['assert f(2) == 4'] },
    { code: 'while True:\n    try:\n        x = 1\n    except BaseException:\n        pass\n', tests: ['pass'] },
    { code: 'def f(x):\n    return sum(range(10 ** 14))\n', tests: ['assert f(2) == 4'] },
    { code: double, tests: ['assert f(2) == 4'] },
  ])
  expect(verdicts).toEqual(['pass', 'timeout', 'timeout', 'timeout', 'pass'])
}, 60_000)

test('Memory is limited, and so is recursion.', async () => {
  const verdicts = await sandbox.runTests([
    { code: 'x = bytearray(400 * 1024 * 1024)', tests: ['pass'] },
    { code: 'def f(x):\n    return f(x + 1)\n', tests: ['assert f(2) == 4'] },
    { code: double, tests: ['assert f(2) == 4'] },
  ])
  expect(verdicts).toEqual(['error', 'error', 'pass'])
})

test('Expressions give their values as repr, or null.', async () => {
  const values = await sandbox.evaluate([
    { code: double, expressions: ['f(3)', 'f([1])', 'f(None)', "f('a')"] },
    { code: 'def f(x', expressions: ['f(3)'] },
  ])
  expect(values).toEqual([['6', '[1, 1]', null, "'aa'"], [null]])
})

test('What one case does to the built-ins is gone in the next.', async () => {
  const spoil = 'import builtins\nbuiltins.sum = lambda xs: 7\nbuiltins.extra = 1\n'
  const verdicts = await sandbox.runTests([
    { code: spoil, tests: ['assert sum([1]) == 7'] },
    { code: '', tests: ['assert sum([1]) == 1'] },
    { code: 'extra', tests: [] },
  ])
  expect(verdicts).toEqual(['pass', 'pass', 'error'])
})

test('Thousands of small cases take seconds.', async () => {
  const started = performance.now()
  const cases = Array.from({ length: 3_000 }, (_, i) => ({ code: double, tests: [`assert f(${i}) == ${2 * i}`] }))
  expect((await sandbox.runTests(cases)).every(verdict => verdict === 'pass')).toBe(true)
  expect(performance.now() - started).toBeLessThan(30_000)
})
