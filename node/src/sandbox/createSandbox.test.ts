import { afterAll, expect, test } from 'vitest'
import { createSandbox, type SandboxTest } from './createSandbox.ts'
import { hostileCases } from './hostileCases.ts'

const sandbox = createSandbox({ caseTimeoutMs: 500, memoryLimitMb: 256 })
afterAll(() => sandbox.close())

const double = 'def f(x):\n    return x * 2\n'
const doubles = (...inputs: number[]): SandboxTest[] =>
  inputs.map(x => ({ expression: `f(${x})`, expected: String(2 * x) }))

test('A case passes, fails or errs by its tests.', async () => {
  const verdicts = await sandbox.runTests([
    { code: double, tests: doubles(2, 0) },
    { code: double, tests: [...doubles(2), { expression: 'f(3)', expected: '5' }] },
    { code: 'def f(x):\n    return y\n', tests: doubles(2) },
    { code: 'def f(x:\n', tests: doubles(2) },
    { code: 'def f(x):\n    return True\n', tests: [{ expression: 'f(1)', expected: '1' }] },
    {
      code: 'import functools\n@functools.lru_cache\ndef f(n):\n    return 0 if n == 0 else max([1 + f(n - 1)])',
      tests: [{ expression: 'f(650)', expected: '650' }],
    },
    {
      code: '# coding: latin-1\nf = lambda x: "\u00fc\u{1f41d}"',
      tests: [{ expression: 'f(0)', expected: "'\u00fc\u{1f41d}'" }],
    },
  ])
  expect(verdicts).toEqual(['pass', 'fail', 'error', 'error', 'fail', 'pass', 'pass'])
})

test.each(Object.entries(hostileCases))('After %s, right code passes and wrong code fails.', async (_, code) => {
  // Libraries are what a case could leave spoilt for the next.
  const tests = [...doubles(2), { expression: '__import__("bisect").bisect_left([1, 2], 2)', expected: '1' }]
  // Its own batch: no later case was in flight when it was given its verdict.
  const [hostile] = await sandbox.runTests([{ code, tests }])
  const honest = await sandbox.runTests([
    { code: double, tests },
    { code: 'def f(x):\n    return x + 1\n', tests },
  ])
  expect(hostile).not.toBe('pass')
  expect(honest).toEqual(['pass', 'fail'])
})

test('Memory is limited, also after a case that used all of it.', async () => {
  const patient = createSandbox({ caseTimeoutMs: 30_000, memoryLimitMb: 256 })
  const hungry = { code: 'x = bytearray(400 * 1024 * 1024)', tests: [] }
  const large = { code: 'x = bytearray(150 * 1024 * 1024)', tests: [] }
  const verdicts = await patient.runTests([hungry, large, hungry, large])
  await patient.close()
  expect(verdicts).toEqual(['error', 'pass', 'error', 'pass'])
})

test('Expressions give their values as repr, or null.', async () => {
  const values = await sandbox.evaluate([
    { code: double, expressions: ['f(3)', 'f([1])', 'f(None)', "f('a')", "'x' * 399", '1\n2'] },
    { code: 'def f(x', expressions: ['f(3)'] },
  ])
  expect(values).toEqual([['6', '[1, 1]', null, "'aa'", null, null], [null]])
})
