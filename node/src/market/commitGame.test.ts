import { concat, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { commitGame } from './commitGame.ts'

const place = { chainId: 1, market: `0x${'11'.repeat(20)}` as Hex, judge: `0x${'22'.repeat(20)}` as Hex }
const seed: Hex = `0x${'33'.repeat(32)}`

test('a commitment has a leaf a clue and one for the answer, each with its own salt', () => {
  const { leaves } = commitGame(place, { clues: ['a', 'a', 'a'], answer: 1, seed })
  expect(leaves).toHaveLength(4)
  expect(new Set(leaves.map(({ leaf }) => leaf)).size).toBe(4)
  expect(new Set(leaves.map(({ salt }) => salt)).size).toBe(4)
})

test('a proof is what follows its clue, then the clues before it; the answer is at the end', () => {
  const { root, leaves } = commitGame(place, { clues: ['a', 'b'], answer: 1, seed })
  const [first, second, answer] = leaves.map(({ leaf }) => leaf) as [Hex, Hex, Hex]
  const last = keccak256(concat([second, answer]))
  expect(root).toBe(keccak256(concat([first, last])))
  expect(leaves.map(({ proof }) => proof)).toEqual([[last], [answer, first], [second, first]])
})

test('every word of a commitment changes its root', () => {
  const secrets = { clues: ['a', 'b'], answer: 1, seed }
  const roots = [
    commitGame(place, secrets),
    commitGame({ ...place, chainId: 2 }, secrets),
    commitGame({ ...place, market: place.judge }, secrets),
    commitGame({ ...place, judge: place.market }, secrets),
    commitGame(place, { ...secrets, answer: 0 }),
    commitGame(place, { ...secrets, clues: ['b', 'a'] }),
    commitGame(place, { ...secrets, seed: `0x${'44'.repeat(32)}` as const }),
  ].map(({ root }) => root)
  expect(new Set(roots).size).toBe(roots.length)
})
