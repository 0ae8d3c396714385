import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { writeModel } from '#model/writeModel.ts'
import type { ReadDraws } from '#rl/policy/policyProtocol.ts'
import { encodePolicy } from '#rl/policy/publishedPolicy.ts'
import type { CheckedRollout } from '../draws/checkRollouts.ts'
import type { FetchPlan } from '../fetch/fetchPlan.ts'
import { type PeerResult, peerFault } from '../fetch/peerResult.ts'
import { policyMemory } from './heldPolicies.ts'
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
  const proofs = await openProofs(node, { reader: { readDraws: read } }, work, peers)
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

const unread = (fault: 'malformed' | 'unpaid base' | 'no base' | 'evicted') => async () => ({
  fault,
  reason: 'as it is',
})

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
  const proofs = await openProofs(node, { reader: { readDraws: read } }, work, [commitment])
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
  ['its adapter is for a base that is not here', { read: unread('no base') }],
  ['its base was evicted for another', { read: unread('evicted') }],
  ['a prompt of its quotes what is not available here', { drawn: null }],
  ['reading it fails here', { read: () => Promise.reject(new Error('no memory')) }],
])('where %s, the vote is unavailable', async (_, says) => {
  expect(await vote(says)).toBe(UNAVAILABLE)
})

test('whole weights of another listed base are read over it, and are not refuted by a node that does not hold it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'waggle-whole-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const [small, large] = [join(root, 'small'), join(root, 'large')]
  const config = { ...tinyConfig, layers: 3 }
  const weights = initWeights(config, 'large')
  await writeModel(small, tinyConfig, tinyWeights())
  await writeModel(large, config, weights)
  const [policy, other] = [weights, initWeights({ ...config, layers: 4 }, 'other')].map(whole =>
    Buffer.concat(encodePolicy({ weights: whole })),
  )
  const bases = [word('b1'), word('b2')]
  const read: string[] = []
  const reader = {
    readDraws: async ({ base }: { base: string }) => {
      read.push(base)
      return certain
    },
  }
  const prove = async (value: Buffer | undefined, names: Record<string, string> | undefined) => {
    const node = {
      chain: { readPolicies: async () => new Map([[commitment.peerKey, commitment.policyHash]]) },
      environment: { solverFolder: small, spec: { ...environmentFrom('starter'), bases } },
      fetchPlan: { fetch: async () => ({ ok: true, value }), visit: async () => [], visitEach: () => [] },
      ...{ bundles: { has: () => true }, chainId: 1, logger: silentLogger, signal: never },
    }
    const folders = new Map(Object.entries(names ?? {}))
    const lacking = bases.filter(base => !folders.has(base))
    const held = names && { folders, lacking, residentBytes: 1, fitTogether: true }
    const proofs = await openProofs(node as never, { reader, bases: held }, work, [commitment])
    return proofs.prove(commitment, leaves, never)
  }
  const both = { [word('b1')]: small, [word('b2')]: large }
  expect(await prove(policy, both)).toMatchObject({ ok: true })
  for (const names of [{ [word('b1')]: small }, undefined])
    expect(await prove(policy, names)).toEqual(peerFault('no base', expect.stringMatching(/architecture of none/)))
  expect(read).toEqual([large])
  // Of no listed base: the reader refutes it.
  await prove(other, both)
  expect(read).toEqual([large, small])
})

/** Bytes of a policy that adapts a base; only its header is read here. */
function adapterOver(base: Hex): Uint8Array {
  const lora = { rank: 1, alpha: 1, targets: ['q_proj'], rankStabilized: false }
  const adapter = { config: lora, factors: new Map() }
  return Buffer.concat(encodePolicy({ adapter, base, precision: 'float32' }))
}

/** Checks of four peers over two bases, which arrive in the order given. @returns folders in the order in which they are read. */
async function readInOrder(fitTogether: boolean, order: readonly number[]) {
  const keys = ['11', '12', '13', '14'].map(word)
  const policies = ['b1', 'b2', 'b1', 'b3'].map(byte => adapterOver(word(byte)))
  const arrivals = policies.map(() => Promise.withResolvers<PeerResult<unknown>>())
  const peers = keys.map(peerKey => ({ peerKey, policyHash: word('aa') }))
  const fetchPlan = {
    fetch: async ({ peerKey }: { peerKey: Hex }) => ({ ok: true, value: policies[keys.indexOf(peerKey)] }),
    visitEach: (wanted: readonly { peerKey: Hex }[], _: AbortSignal, work: (...of: unknown[]) => unknown) =>
      wanted.map(async (one, at) => {
        await arrivals[at]?.promise
        await work(policies[at], one)
        return { wanted: one, result: had }
      }),
  } as unknown as FetchPlan
  const read: string[] = []
  const reader = {
    readDraws: async ({ base, turn }: { base: string; turn?: string | undefined }) => {
      read.push(`${base} ${turn}`)
      await new Promise(resolve => setImmediate(resolve))
      return certain
    },
  }
  const bases = [word('b1'), word('b2'), word('b3')]
  const folders = new Map([
    [word('b1'), 'other'],
    [word('b2'), 'base'],
  ])
  const node = {
    chain: { readPolicies: async () => new Map(peers.map(({ peerKey, policyHash }) => [peerKey, policyHash])) },
    environment: { solverFolder: 'base', spec: { ...environmentFrom('starter'), bases } },
    ...{ fetchPlan, bundles: { has: () => true }, chainId: 1, logger: silentLogger, signal: never },
  }
  const held = { folders, lacking: [word('b3')], residentBytes: 1, fitTogether }
  const task = { memory: policyMemory(), turn: 'votes' }
  const proofs = await openProofs(node as never, { reader, bases: held }, work, peers, task)
  void proofs.fetch(never)
  const proving = peers.map(peer => proofs.prove(peer, leaves, never))
  for (const at of order) {
    arrivals[at]?.resolve(had)
    await new Promise(resolve => setImmediate(resolve))
  }
  return { read, proven: await Promise.all(proving) }
}

test('checks over bases that fit together run as they come, and work over a base that is not held is not refuted', async () => {
  const { read, proven } = await readInOrder(true, [0, 1, 2, 3])
  expect(read).toEqual(['other votes', 'base votes', 'other votes'])
  expect(proven.map(({ ok }) => ok)).toEqual([true, true, true, false])
  expect(proven[3]).toMatchObject({ fault: 'no base', base: word('b3') })
})

test('where bases do not fit together, peers cannot have them loaded in turn: each is read once all have come', async () => {
  for (const order of [
    [0, 1, 2, 3],
    [0, 2, 3, 1],
    [3, 2, 1, 0],
  ]) {
    const { read } = await readInOrder(false, order)
    expect(read).toEqual(['base votes', 'other votes', 'other votes'])
  }
})
