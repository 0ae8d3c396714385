import { concat, keccak256, pad, toHex } from 'viem'
import { expect, test } from 'vitest'
import { type LeafHeader, leafHash } from './leaf.ts'

const word = (byte: string) => `0x${byte.repeat(32)}` as const
const header: LeafHeader = {
  chainId: 31337,
  round: 7,
  peerKey: word('01'),
  index: 3,
  taskHash: word('02'),
  policyHash: word('03'),
  seed: word('04'),
  bodyHash: word('05'),
}

test('a leaf is the double keccak of eight words', () => {
  const words = concat([
    pad(toHex(31337)),
    pad(toHex(7)),
    word('01'),
    pad(toHex(3)),
    word('02'),
    word('03'),
    word('04'),
    word('05'),
  ])
  expect(leafHash(header)).toBe(keccak256(keccak256(words)))
})

test('every field changes the leaf', () => {
  const changes: Partial<LeafHeader>[] = [
    { chainId: 1 },
    { round: 8 },
    { peerKey: word('ff') },
    { index: 4 },
    { taskHash: word('ff') },
    { policyHash: word('ff') },
    { seed: word('ff') },
    { bodyHash: word('ff') },
  ]
  const hashes = new Set(changes.map(change => leafHash({ ...header, ...change })))
  hashes.add(leafHash(header))
  expect(hashes.size).toBe(changes.length + 1)
})
