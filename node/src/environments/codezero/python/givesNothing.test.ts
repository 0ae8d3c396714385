import { expect, test } from 'vitest'
import { givesNothing } from './givesNothing.ts'
import { type PythonNode, parsePython } from './parsePython.ts'

const loop = (end: string) => `def f(xs):\n    s = 0\n    for x in xs:\n        s += x\n    ${end}\n`
const read = async (code: string) => givesNothing((await parsePython(code)) as PythonNode, { name: 'f' })

test.each([
  ['a bare return', loop('return')],
  ['None', loop('return None')],
  ['None in brackets', loop('return ((None))')],
  ['no return at all', loop('s += 1')],
  ['a value of another function alone', loop('def g():\n        return s\n    g()')],
])('%s gives nothing', async (_, code) => {
  expect(await read(code)).toBe(true)
})

test.each([
  ['a value', loop('return s')],
  ['a value in a branch', loop('if s:\n        return s')],
  ['a generator', loop('yield s')],
  ['an empty tuple', loop('return ()')],
  ['a pair with None', loop('return s, None')],
  ['another name', 'def g(xs):\n    return\n'],
])('%s gives something', async (_, code) => {
  expect(await read(code)).toBe(false)
})
