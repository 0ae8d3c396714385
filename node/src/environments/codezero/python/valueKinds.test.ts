import { expect, test } from 'vitest'
import { parsePython } from './parsePython.ts'
import type { PythonNode } from './pythonNode.ts'
import { valueKinds } from './valueKinds.ts'

/** How often an expression is read that is the value of so many names. */
async function readsOfShared(names: number): Promise<number> {
  const targets = Array.from({ length: names }, (_, at) => `a${at} = `)
  const script = (await parsePython(`${targets.join('')}x + x\n`)) as PythonNode
  const value = script.children[0]?.children.at(-1) as PythonNode
  let reads = 0
  const type = () => {
    reads++
    return 'BinaryExpression'
  }
  Object.defineProperty(value, 'type', { get: type })
  const kindOf = await valueKinds(script)
  expect(kindOf(script.children[0]?.children[0] as PythonNode)).toBe('foreign')
  return reads
}

test('A value that many names share is read as often as that of a single name.', async () => {
  expect(await readsOfShared(500)).toBe(await readsOfShared(1))
})
