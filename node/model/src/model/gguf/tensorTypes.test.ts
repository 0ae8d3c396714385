import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tensorTypes } from './tensorTypes.ts'

/** By scripts/golden/ggufVectors.py. */
const golden: Record<string, { type: number; bytes: string; values: string }> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../golden/gguf/blocks.json'), 'utf8'),
)

test.each(Object.keys(golden))('%s is read bit for bit as llama.cpp’s own package reads it', name => {
  const vector = golden[name]
  const type = tensorTypes.get(vector?.type ?? -1)
  if (!vector || !type) throw new Error(`no type ${name}`)
  const bytes = Buffer.from(vector.bytes, 'base64')
  const expected = Buffer.from(vector.values, 'base64')
  const blocks = bytes.length / type.blockBytes
  const values = new Float32Array(blocks * type.blockElements)
  for (let i = 0; i < blocks; i++) type.decode(bytes, i * type.blockBytes, values, i * type.blockElements)
  expect(type.name).toBe(name)
  expect(blocks).toBeGreaterThan(1)
  expect(Buffer.from(values.buffer).equals(expected)).toBe(true)
})

test('every type that can be read has golden blocks', () => {
  expect([...tensorTypes.values()].map(({ name }) => name).sort()).toEqual(Object.keys(golden).sort())
})
