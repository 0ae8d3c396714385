import { expect, test } from 'vitest'
import { failurePart } from './failurePart.ts'

const NOISE = Array.from({ length: 200 }, (_, at) => `  ✓ test ${at}`)

test.each([
  ['Hardhat', ['  1 failing', '', '  1) gas:', '   AssertionError: it costs more']],
  ['Vitest', ['⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯', 'AssertionError: one is two']],
  ['Vitest, of a file that does not load', ['⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯', 'Error: no such module']],
])('of %s what failed is kept, and not what passed', (_, part) => {
  expect(failurePart([...NOISE, ...part, ''].join('\n'))).toBe(part.join('\n'))
})

test('the end of a check or a crash is kept, and the beginning of long failures', () => {
  expect(failurePart('a.ts(1,1): error TS2322\n')).toBe('a.ts(1,1): error TS2322')
  expect(failurePart(NOISE.join('\n')).split('\n')).toEqual(NOISE.slice(-40))
  expect(failurePart(['9 failing', ...NOISE].join('\n')).split('\n')).toEqual(['9 failing', ...NOISE.slice(0, 159)])
})
