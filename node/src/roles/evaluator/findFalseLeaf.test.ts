import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { verifyProof } from '#core/merkle.ts'
import { leafHash } from '#core/payloads/leaf.ts'
import { type RolloutBundle, rolloutLeaves, rootOf, treeOf } from '#core/payloads/payloads.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { findFalseLeaf } from './findFalseLeaf.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [peerKey, beacon, policyHash] = [word('01'), word('be'), word('02')]
const seed = roundSeed('rollout', 1, 7, beacon, peerKey)
const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)

function bundleOf(seeds: readonly Hex[]): RolloutBundle {
  const rollouts = seeds.map((seed, index) => ({
    index,
    promptTokens: tokens(1, 2),
    completionTokens: tokens(3 + index),
    logprobs: new Uint8Array(Float32Array.of(-1).buffer),
    sampling: { temperature: 1, maxNewTokens: 96 },
    seed,
    ended: true,
  }))
  const taskRef = { peerKey: word('03'), index: 0 }
  return { v: 1, chainId: 1, round: 7, peerKey, policyHash, groups: [{ taskRef, rollouts }] }
}

function commitmentOf(bundle: RolloutBundle, policy: Hex = policyHash) {
  const count = rolloutLeaves(bundle).length
  return { peerKey, root: rootOf(bundle), count, contentId: word('06'), policyHash: policy, ordinal: 0, block: 1 }
}

test('an honest bundle has no false leaf', () => {
  const bundle = bundleOf([seed, seed])
  expect(findFalseLeaf({ payload: bundle, tree: treeOf(bundle) }, commitmentOf(bundle), beacon)).toBeNull()
})

test('a ground seed is found, with the proof that it was committed', () => {
  const bundle = bundleOf([seed, seed, word('07')])
  const found = findFalseLeaf({ payload: bundle, tree: treeOf(bundle) }, commitmentOf(bundle), beacon)
  expect(found?.header).toMatchObject({ index: 2, seed: word('07') })
  expect(found && verifyProof(rootOf(bundle), leafHash(found.header), found.proof)).toBe(true)
})

test('another policy than the one committed to is found', () => {
  const bundle = bundleOf([seed])
  expect(
    findFalseLeaf({ payload: bundle, tree: treeOf(bundle) }, commitmentOf(bundle, word('08')), beacon)?.header.index,
  ).toBe(0)
})
