import { expect, test } from 'vitest'
import { leavesOf, rootOf, type TaskBundle, treeOf } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { leafHash } from '#core/leaf.ts'
import { verifyProof } from '#core/merkle.ts'
import { findRepeatedTask } from './findRepeatedTask.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
const contentId = word('04')

function bundleOf(texts: readonly string[]): TaskBundle {
  const tasks = texts.map((text, index) => ({
    index,
    level: 1,
    promptTokens: tokens(1, 2),
    completionTokens: tokens(3),
    logprobs: new Uint8Array(Float32Array.of(-1).buffer),
    seed: word(index === 0 ? '05' : '06'),
    text,
  }))
  return { v: 1, chainId: 1, round: 7, peerKey: word('01'), policyHash: word('02'), level: 1, tasks }
}

test('a bundle of different tasks has none twice', () => {
  const bundle = bundleOf(['a', 'b', 'c'])
  expect(findRepeatedTask({ bundle, tree: treeOf(bundle), contentId })).toBeNull()
})

test('a task in two places is found however it was sampled, with proofs of both', () => {
  const bundle = bundleOf(['a', 'b', 'c', 'b'])
  const found = findRepeatedTask({ bundle, tree: treeOf(bundle), contentId })
  expect(found?.tasks).toEqual({ root: rootOf(bundle), count: 4, contentId })
  expect([found?.first.index, found?.second.index]).toEqual([1, 3])
  expect(found?.first.taskHash).toBe(found?.second.taskHash)
  expect(leavesOf(bundle)).toHaveLength(4)
  for (const [header, proof] of [
    [found?.first, found?.firstProof],
    [found?.second, found?.secondProof],
  ] as const)
    expect(header && verifyProof(rootOf(bundle), leafHash(header), proof ?? [])).toBe(true)
})
