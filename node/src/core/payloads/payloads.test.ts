import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { CanonicalError, encodeCanonical } from '../canonical.ts'
import { type Hex, ZERO_HASH } from '../hex.ts'
import { merkleProof, verifyProof } from '../merkle.ts'
import { leafHash } from './leaf.ts'
import {
  type CanaryBundle,
  decodeCanaryBundle,
  decodeRolloutBundle,
  decodeScoreSheet,
  encodeCanaryBundle,
  encodeRolloutBundle,
  encodeScoreSheet,
  type PeerScore,
  type RolloutBundle,
  rolloutLeaf,
  rolloutLeaves,
  rootOf,
  type ScoreSheet,
  scoreTree,
  tokenWidth,
  votesOf,
} from './payloads.ts'
import { taskHash } from './taskProposal.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer)
const header = { v: 1 as const, chainId: 31337, round: 4, peerKey: word('01'), policyHash: word('02') }
const sequence = { promptTokens: tokens(1, 2), completionTokens: tokens(3, 4, 5), logprobs: floats(-0.5, -1, 0) }

const taskRef = { peerKey: word('01'), index: 0 }
const sampling = { temperature: 1, maxNewTokens: 96 }
const rollout = (index: number) => ({ index, ...sequence, sampling, seed: word('05'), ended: true })
const rolloutBundle: RolloutBundle = {
  ...header,
  groups: [
    { taskRef, rollouts: [rollout(0), rollout(1)] },
    { taskRef: { ...taskRef, index: 1 }, rollouts: [rollout(2)] },
  ],
}
const scoreSheet: ScoreSheet = {
  v: 1,
  chainId: 31337,
  round: 4,
  evaluatorKey: word('08'),
  peers: [
    {
      peerKey: word('01'),
      scoreMilli: 400,
      leaves: [{ index: 0, components: { parses: 1000, ends: -200 }, scoreMilli: 400 }],
    },
    { peerKey: word('02'), scoreMilli: UNAVAILABLE, leaves: [] },
  ],
}
const canary: CanaryBundle = {
  ...header,
  level: 3,
  seed: word('09'),
  samples: [{ task: 0, sample: 0, completionTokens: tokens(3), ended: true, scoreMilli: 900, passed: false }],
}

test('every payload is decoded to what was encoded', () => {
  expect(decodeRolloutBundle(encodeRolloutBundle(rolloutBundle))).toEqual(rolloutBundle)
  expect(decodeRolloutBundle(encodeRolloutBundle({ ...rolloutBundle, graphHash: word('0a') })).graphHash).toBe(
    word('0a'),
  )
  expect(decodeScoreSheet(encodeScoreSheet(scoreSheet))).toEqual(scoreSheet)
  expect(decodeCanaryBundle(encodeCanaryBundle(canary))).toEqual(canary)
})

test('only an unavailable vote names a base that its evaluator lacks', () => {
  const [scored, unavailable] = scoreSheet.peers as [PeerScore, PeerScore]
  const lacking = (peer: PeerScore) => ({ ...scoreSheet, peers: [{ ...peer, lacksBase: word('66') }] })
  expect(decodeScoreSheet(encodeScoreSheet(lacking(unavailable)))).toEqual(lacking(unavailable))
  expect(() => encodeScoreSheet(lacking(scored))).toThrow('a scored peer lacks no base')
})

test('a bundle and a canary of the most leaves have no more values and keys than are read', () => {
  const groups = Array.from({ length: 256 }, (_, group) => ({
    taskRef,
    rollouts: Array.from({ length: 16 }, (_, at) => rollout(16 * group + at)),
  }))
  const largest = encodeRolloutBundle({ ...header, graphHash: word('0a'), groups })
  expect(decodeRolloutBundle(largest).groups).toHaveLength(256)
  const samples = Array.from({ length: 4096 }, () => canary.samples[0] as CanaryBundle['samples'][number])
  expect(decodeCanaryBundle(encodeCanaryBundle({ ...canary, samples })).samples).toHaveLength(4096)
})

test('a bundle has one leaf a rollout, each provable against its root from the header alone', () => {
  const leaves = rolloutLeaves(rolloutBundle)
  expect(leaves).toHaveLength(3)
  expect(new Set(leaves).size).toBe(3)
  const headers = leaves.map((_, index) => rolloutLeaf(rolloutBundle, index)?.header)
  expect(headers.map(header => header && leafHash(header))).toEqual(leaves)
  expect(rolloutLeaf(rolloutBundle, leaves.length)).toBeUndefined()
  for (const [i, leaf] of leaves.entries())
    expect(verifyProof(rootOf(rolloutBundle), leaf, merkleProof(leaves, i))).toBe(true)
})

test('the root changes with any content, and with round and peer', () => {
  const completed = (completionTokens: Uint8Array): RolloutBundle => ({
    ...rolloutBundle,
    groups: [{ taskRef, rollouts: [{ ...rollout(0), completionTokens }] }],
  })
  const roots = [
    completed(tokens(3, 4, 5)),
    completed(tokens(3, 4, 6)),
    { ...completed(tokens(3, 4, 5)), round: 5 },
    { ...completed(tokens(3, 4, 5)), peerKey: word('ff') },
  ].map(rootOf)
  expect(new Set(roots).size).toBe(4)
})

test('a leaf names the task that it answers', () => {
  const tasks = [0, 1, 2].map(index => rolloutLeaf(rolloutBundle, index)?.header.taskHash)
  expect(tasks).toEqual([0, 0, 1].map(index => taskHash({ peerKey: word('01'), index })))
  expect(taskHash({ peerKey: word('02'), index: 0 })).not.toBe(tasks[0])
})

test('the width of a token follows from the lengths', () => {
  expect(tokenWidth(sequence)).toBe(2)
  expect(
    tokenWidth({ promptTokens: new Uint8Array(4), completionTokens: new Uint8Array(8), logprobs: floats(0, 0) }),
  ).toBe(4)
  expect(
    tokenWidth({ promptTokens: new Uint8Array(2), completionTokens: new Uint8Array(8), logprobs: floats(0, 0) }),
  ).toBeNull()
})

const group = (rollouts: unknown[]) => ({ ...rolloutBundle, groups: [{ taskRef, rollouts }] })
const hostile: Record<string, unknown> = {
  'an unknown version': { ...rolloutBundle, v: 2 },
  'an unknown field': { ...rolloutBundle, score: 1 },
  'no group': { ...rolloutBundle, groups: [] },
  'an index out of order': group([rollout(1), rollout(0)]),
  'fewer log-probabilities than tokens': group([{ ...rollout(0), logprobs: floats(-1, -1) }]),
  'a log-probability that is not a number': group([{ ...rollout(0), logprobs: floats(-1, Number.NaN, 0) }]),
  'a log-probability above 0': group([{ ...rollout(0), logprobs: floats(-1, 2, 0) }]),
  'an empty completion': group([{ ...rollout(0), completionTokens: tokens(), logprobs: floats() }]),
  'two prompts in one group': group([rollout(0), { ...rollout(1), promptTokens: tokens(9) }]),
  'a completion over the limit': group([
    { ...rollout(0), completionTokens: new Uint8Array(5000 * 4), logprobs: new Uint8Array(5000 * 4) },
  ]),
  'a peer key in upper case': { ...rolloutBundle, peerKey: `0x${'AB'.repeat(32)}` },
  'a negative round': { ...rolloutBundle, round: -1 },
}

test.each(Object.entries(hostile))('a rollout bundle with %s is refused, going out and coming in', (_, bundle) => {
  expect(() => decodeRolloutBundle(encodeCanonical(bundle))).toThrow(CanonicalError)
  expect(() => encodeRolloutBundle(bundle as RolloutBundle)).toThrow(CanonicalError)
})

test('the votes of a score sheet carry a root over the components, and zero where there are none', async () => {
  const shard = scoreSheet.peers.map(({ peerKey }) => ({ peerKey, count: 8 }))
  const votes = await votesOf(scoreSheet, shard)
  expect(votes.scoresMilli).toEqual([400, UNAVAILABLE])
  // In the shard's order, not the score sheet's; a peer that was left out counts as unavailable.
  const [one, two] = votes.componentRoots
  expect(await votesOf(scoreSheet, [...shard.toReversed(), { peerKey: word('ff'), count: 1 }])).toEqual({
    scoresMilli: [UNAVAILABLE, 400, UNAVAILABLE],
    componentRoots: [two, one, ZERO_HASH],
  })
  expect(votes.componentRoots[1]).toBe(ZERO_HASH)
  const [scored] = scoreSheet.peers
  if (scored === undefined) throw new Error('no peer')
  const other = { ...scored, leaves: [{ index: 0, components: { parses: 999, ends: -200 }, scoreMilli: 400 }] }
  expect(scoreTree(scoreSheet, scored, 8).root).toBe(votes.componentRoots[0])
  expect(scoreTree(scoreSheet, other, 8).root).not.toBe(votes.componentRoots[0])
  expect(scoreTree({ ...scoreSheet, evaluatorKey: word('ff') }, scored, 8).root).not.toBe(votes.componentRoots[0])
})

test('a score sheet lists peers and leaves in order, each once', () => {
  const [first, second] = scoreSheet.peers
  for (const peers of [
    [second, first],
    [first, first],
  ])
    expect(() => decodeScoreSheet(encodeCanonical({ ...scoreSheet, peers }))).toThrow(CanonicalError)
})

test('log-probabilities that end inside a value are refused as malformed', () => {
  const cut = { ...rollout(0), completionTokens: tokens(3, 4), logprobs: new Uint8Array(9) }
  const bytes = encodeCanonical({ ...header, groups: [{ taskRef, rollouts: [cut] }] })
  expect(() => decodeRolloutBundle(bytes)).toThrow(CanonicalError)
})
