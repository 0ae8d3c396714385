import { deflateRawSync } from 'node:zlib'
import { MAX_TASKS } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { encodeCanonical } from '../canonical.ts'
import { decodeProposal, encodeProposal, type ProposedTasks } from './taskProposal.ts'

const proposed: ProposedTasks = { level: 3, texts: ['Write f(n). Return n.\nassert f(1) == 1', 'é\0'] }
const packed = (value: unknown) => new Uint8Array(deflateRawSync(encodeCanonical(value)))

test('a proposal is read as it was written', () => {
  expect(decodeProposal(encodeProposal(proposed))).toMatchObject(proposed)
})

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['noise', Uint8Array.of(1, 2, 3, 4)],
  ['the half of a proposal', encodeProposal(proposed).subarray(0, 20)],
  ['a megabyte of zeros and more', new Uint8Array(deflateRawSync(new Uint8Array((1 << 20) + 1)))],
  ['another version', packed({ ...proposed, v: 2 })],
  ['an unknown level', packed({ ...proposed, v: 1, level: 9 })],
  ['a text that is too long', packed({ v: 1, level: 1, texts: ['x'.repeat(4001)] })],
  ['too many texts', packed({ v: 1, level: 1, texts: Array(MAX_TASKS + 1).fill('') })],
])('%s is not a proposal', (_, bytes) => {
  expect(decodeProposal(bytes)).toBeNull()
})
