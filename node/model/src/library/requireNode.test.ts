import { expect, test } from 'vitest'
import { requireNode } from './requireNode.ts'

test('a Node that is too old is refused in a sentence', () => {
  for (const version of ['20.20.2', '22.17.1'])
    expect(() => requireNode(version)).toThrow(`needs Node 22.18 or newer, and this is Node ${version}`)
  for (const version of ['22.18.0', '22.23.1', '24.0.0']) requireNode(version)
})
