import { expect, test } from 'vitest'
import { UNAVAILABLE } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { ReadDraws } from '#rl/policyProtocol.ts'
import type { CheckedRollout } from '../checkRollouts.ts'
import { type PeerResult, peerFault } from '../fetch/peerResult.ts'
import { openProofs, scoreWithout } from './proofs.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const commitment = { peerKey: word('11'), policyHash: word('aa') }
const leaf = { index: 0, promptTokens: Int32Array.of(1), completionTokens: Int32Array.of(2), ended: true }
const leaves = [{ ...leaf, logprobs: Float32Array.of(0), text: '' }] satisfies CheckedRollout[]
/** One token that is certain: every random number draws it. */
const certain: ReadDraws = {
  draws: [{ logprobs: Float32Array.of(0), below: Float32Array.of(0) }],
  maxPositions: 64,
}
const never = new AbortController().signal

/** What becomes of a score of 700, by what the chain, the peer and the reader say. */
async function vote({
  named = commitment.policyHash,
  fetched = { ok: true, value: new Uint8Array() } as PeerResult<Uint8Array>,
  read = async (): Promise<ReadDraws> => certain,
  drawn = leaves as readonly CheckedRollout[],
}) {
  const node = {
    chain: { readPolicies: async () => new Map([[commitment.peerKey, named]]) },
    environment: { solverFolder: 'base', spec: environmentFrom('starter') },
    fetchPlan: { fetch: async () => fetched, visit: async () => [] },
    ...{ chainId: 1, logger: silentLogger, signal: never },
  }
  const work = { round: 7, before: word('33'), beacon: word('44') }
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
  ['the policy can be nobody’s', { read: async () => ({ fault: 'no policy', isProven: true }) }],
  ['a leaf was not sampled', { drawn: [{ ...leaves[0], logprobs: Float32Array.of(-1) } as CheckedRollout] }],
])('where %s, the round is worth 0', async (_, says) => {
  expect(await vote(says)).toBe(0)
})

test.each([
  ['nobody serves the policy', { fetched: peerFault('unavailable', 'nobody has it') }],
  ['more bytes are served than a policy of the base has', { fetched: peerFault('oversized', 'too large') }],
  ['its adapter is for a base that is not here', { read: async () => ({ fault: 'another base', isProven: false }) }],
  ['reading it fails here', { read: () => Promise.reject(new Error('no memory')) }],
])('where %s, the vote is unavailable', async (_, says) => {
  expect(await vote(says)).toBe(UNAVAILABLE)
})
