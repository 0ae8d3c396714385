import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { ReadDraws } from '#rl/policy/policyProtocol.ts'
import type { CheckedRollout } from '../draws/checkRollouts.ts'
import type { FetchPlan } from '../fetch/fetchPlan.ts'
import { type PeerResult, peerFault } from '../fetch/peerResult.ts'
import { openProofs, scoreWithout } from './proofs.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const commitment = { peerKey: word('11'), policyHash: word('aa') }
const leaf = { index: 0, promptTokens: Int32Array.of(1), completionTokens: Int32Array.of(2), ended: true }
const leaves = [{ ...leaf, logprobs: Float32Array.of(0), text: '' }] satisfies CheckedRollout[]
const zero = Float32Array.of(0)
/** One token that is certain: every race draws it. */
const certain: ReadDraws = {
  draws: [{ logprob: zero, behind: zero, behindAtLeast: zero, unsure: zero, rivals: zero }],
  maxPositions: 64,
}
const never = new AbortController().signal

const work = { round: 7, before: word('33'), beacon: word('44') }
const had: PeerResult<Uint8Array> = { ok: true, value: new Uint8Array() }

/** Proofs of two peers, by what comes of each one's policy. */
async function twoPeers(coming: readonly Promise<PeerResult<unknown>>[], read: () => Promise<ReadDraws>) {
  const peers = [commitment, { ...commitment, peerKey: word('12') }] as const
  let asked = 0
  const fetchPlan = {
    fetch: async () => {
      asked += 1
      return had
    },
    visitEach: (wanted: readonly unknown[]) =>
      wanted.map(async (one, at) => ({ wanted: one, result: await (coming[at] as Promise<PeerResult<unknown>>) })),
  } as unknown as FetchPlan
  const node = {
    chain: { readPolicies: async () => new Map(peers.map(({ peerKey, policyHash }) => [peerKey, policyHash])) },
    environment: { solverFolder: 'base', spec: environmentFrom('starter') },
    ...{ fetchPlan, bundles: { has: () => true }, chainId: 1, logger: silentLogger, signal: never },
  }
  const proofs = await openProofs(node, { readDraws: read }, work, peers)
  proofs.fetch(never)
  return { peers, proofs, asked: () => asked }
}

test('a policy that is still coming holds up no check of another peer, and one that was withheld is not asked for again', async () => {
  const { proofs, peers } = await twoPeers([new Promise(() => {}), Promise.resolve(had)], async () => certain)
  expect(await proofs.prove(peers[1], leaves, never)).toMatchObject({ ok: true })
  const withheld = Promise.resolve(peerFault('unavailable', 'author: busy'))
  const other = await twoPeers([withheld, Promise.resolve(had)], async () => certain)
  expect(await other.proofs.prove(peers[0], leaves, never)).toMatchObject({ reason: 'author: busy' })
  expect(other.asked()).toBe(0)
})

test('a check that is not over in time is unavailable, and so are those behind it', async () => {
  const { proofs, peers } = await twoPeers([Promise.resolve(had), Promise.resolve(had)], () => new Promise(() => {}))
  const due = new AbortController()
  const proving = peers.map(peer => proofs.prove(peer, leaves, due.signal))
  setImmediate(() => due.abort())
  expect((await Promise.all(proving)).map(scoreWithout)).toEqual([UNAVAILABLE, UNAVAILABLE])
})

const unread = (fault: 'malformed' | 'unpaid base' | 'unavailable') => async () => ({ fault, reason: 'as it is' })

/** Outcome of a score of 700, by the chain, the peer and the reader. */
async function vote({
  named = commitment.policyHash,
  fetched = { ok: true, value: new Uint8Array() } as PeerResult<Uint8Array>,
  read = async (): Promise<ReadDraws> => certain,
  drawn = leaves as readonly CheckedRollout[] | null,
}) {
  const node = {
    chain: { readPolicies: async () => new Map([[commitment.peerKey, named]]) },
    environment: { solverFolder: 'base', spec: environmentFrom('starter') },
    fetchPlan: { fetch: async () => fetched, visit: async () => [], visitEach: () => [] },
    ...{ bundles: { has: () => true }, chainId: 1, logger: silentLogger, signal: never },
  }
  const proofs = await openProofs(node, { readDraws: read }, work, [commitment])
  const proven = await proofs.prove(commitment, drawn, never)
  return proven.ok ? 700 : scoreWithout(proven)
}

test('work that its named policy sampled has its score', async () => {
  expect(await vote({})).toBe(700)
  // Every scored leaf is missing, and counts 0 already.
  expect(await vote({ drawn: [] })).toBe(700)
})

test.each([
  ['another policy was named', { named: word('bb') }],
  ['the policy can be nobody’s', { read: unread('malformed') }],
  ['its base is not paid', { read: unread('unpaid base') }],
  ['a leaf was not sampled', { drawn: [{ ...leaves[0], logprobs: Float32Array.of(-1) } as CheckedRollout] }],
])('where %s, the round is worth 0', async (_, says) => {
  expect(await vote(says)).toBe(0)
})

test.each([
  ['nobody serves the policy', { fetched: peerFault('unavailable', 'nobody has it') }],
  ['more bytes are served than a policy of the base has', { fetched: peerFault('oversized', 'too large') }],
  ['its adapter is for a base that is not here', { read: unread('unavailable') }],
  ['a prompt of its quotes what is not available here', { drawn: null }],
  ['reading it fails here', { read: () => Promise.reject(new Error('no memory')) }],
])('where %s, the vote is unavailable', async (_, says) => {
  expect(await vote(says)).toBe(UNAVAILABLE)
})
