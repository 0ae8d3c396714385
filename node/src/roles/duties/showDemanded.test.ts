import { expect, test } from 'vitest'
import type { LeafDemand, ShownLeaf } from '#chain/challenges/leafDemands.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { packLogprobs, packTokens } from '#core/payloads/packedTokens.ts'
import { type RolloutBundle, treeOf } from '#core/payloads/payloads.ts'
import type { PeerNode } from '../peerNode.ts'
import { showDemanded } from './showDemanded.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const peerKey = word('11')
const rollout = {
  index: 0,
  promptTokens: packTokens(Int32Array.of(1)),
  completionTokens: packTokens(Int32Array.of(2)),
  logprobs: packLogprobs(Float32Array.of(-1)),
  seed: word('02'),
  sampling: { temperature: 1, maxNewTokens: 1 },
  ended: true,
}
const taskRef = { peerKey: word('03'), index: 0 }
const payload: RolloutBundle = {
  ...{ v: 1, chainId: 1, round: 6, peerKey, policyHash: word('05') },
  groups: [{ taskRef, rollouts: [rollout] }],
}

test('a demand is answered, once, whatever the chain or the disk did at earlier polls', async () => {
  const stop = new AbortController()
  const clock = createManualClock()
  const faults = ['the chain rules nonsense', 'the disk is full']
  const warned: string[] = []
  const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) }
  let emptyAnswers = 2
  const shown: ShownLeaf[] = []
  const demand = { round: 6, peerKey, index: 0, state: 'open', throughRound: 8, challenger: word('0a') }
  const node = {
    chain: {
      rounds: {
        recent: async () => {
          if (faults.length === 2) throw new TypeError(faults.shift())
          return { round: 7, startsAtSec: 0, endsAtSec: 4, nowSec: 0, block: 1 }
        },
      },
      readDemands: async () => [demand as LeafDemand],
      readRolloutCommitments: async () =>
        emptyAnswers-- > 0 ? [] : [{ peerKey, contentId: word('07'), root: treeOf(payload)[0], count: 1 }],
      showLeaf: (leaf: ShownLeaf): Promise<TxOutcome> => {
        if (faults.length > 0) throw new TypeError(faults.shift())
        shown.push(leaf)
        // A server that lags behind does not know the demand yet.
        if (shown.length === 1)
          return Promise.resolve({ status: 'reverted', error: 'Challenges_NotDemanded', hash: null })
        return Promise.resolve({ status: 'mined', hash: word('08'), block: 2 })
      },
    },
    bundles: { get: async () => new Uint8Array(1) },
    payloads: { open: async () => ({ payload, tree: treeOf(payload) }) },
    ...{ identity: { peerKey }, chainId: 1, clock, logger, signal: stop.signal },
  } as unknown as PeerNode
  let isOver = false
  const showing = showDemanded(node, 'own').finally(() => {
    isOver = true
  })
  for (let polls = 0; polls < 8; polls += 1) {
    while (clock.sleepers() === 0 && !isOver) await new Promise(resolve => setImmediate(resolve))
    clock.advance(60_000)
  }
  stop.abort()
  await showing
  expect(shown.map(({ header }) => header.index)).toEqual([0, 0])
  expect(warned.filter(message => message.includes('is not there'))).toHaveLength(1)
})

/** When evaluators show a leaf of another peer, in seconds of a round of 1,000 that begins the last one of its demand. */
async function shownAt(evaluators: readonly Hex[], shows: (name: Hex, sec: number) => boolean, kept = payload) {
  const stop = new AbortController()
  const clock = createManualClock()
  const tree = treeOf(payload)
  const commitment = { peerKey, contentId: word('07'), root: tree[0], count: 1 }
  const sent: { by: Hex; sec: number }[] = []
  let [state, sec] = ['open', 0]
  const running = evaluators.map(by => {
    const demand = { round: 6, peerKey, index: 0, throughRound: 8, challenger: word('0a') }
    const node = {
      chain: {
        rounds: {
          recent: async () => ({
            ...{ round: 7 + Math.floor(sec / 1000), block: 1, nowSec: sec },
            ...{ startsAtSec: sec - (sec % 1000), endsAtSec: sec - (sec % 1000) + 1000 },
          }),
        },
        readDemands: async () => [{ ...demand, state } as LeafDemand],
        readRolloutCommitments: async () => [commitment],
        showLeaf: async (): Promise<TxOutcome> => {
          sent.push({ by, sec })
          if (shows(by, sec)) state = 'shown'
          return { status: 'mined', hash: word('08'), block: 2 }
        },
      },
      bundles: { get: async () => new Uint8Array(1) },
      payloads: { open: async () => ({ payload: kept, tree: treeOf(kept) }) },
      ...{ identity: { peerKey: by }, chainId: 1, clock, logger: silentLogger, signal: stop.signal },
    } as unknown as PeerNode
    return showDemanded(node, 'others')
  })
  for (; sec < 2_100; sec += 10) {
    while (clock.sleepers() < evaluators.length) await new Promise(resolve => setImmediate(resolve))
    clock.advance(10_000)
    for (let turn = 0; turn < 10; turn += 1) await new Promise(resolve => setImmediate(resolve))
  }
  stop.abort()
  await Promise.all(running)
  return sent
}

const evaluators = ['21', '22', '23', '24', '25'].map(word)

test('a leaf that its peer keeps back is shown by evaluators one after the other, in the second half of the last round', async () => {
  const all = await shownAt(evaluators, () => false)
  expect(all.map(({ by }) => by).sort()).toEqual(evaluators)
  const seconds = all.map(({ sec }) => sec - 1000)
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(500)
  expect(Math.max(...seconds)).toBeLessThan(960)
  expect(new Set(seconds).size).toBeGreaterThan(2)
  // Once it is there, nobody else pays for showing it.
  const first = all.filter(({ sec }) => sec === Math.min(...all.map(one => one.sec)))
  expect(await shownAt(evaluators, () => true)).toEqual(first)
})

test('an evaluator shows nothing that is not what the peer committed', async () => {
  expect(await shownAt([word('21')], () => true, { ...payload, policyHash: word('06') })).toEqual([])
})

/** The leaves of 40 that are demanded and due, as queued at each of three polls, where the first sixteen are mined after the second. */
async function queuedAtPolls(showingKey: Hex, leaves: 'own' | 'others') {
  const stop = new AbortController()
  const clock = createManualClock()
  const rollouts = Array.from({ length: 40 }, (_, index) => ({ ...rollout, index }))
  const kept = { ...payload, groups: [{ taskRef, rollouts }] }
  const tree = treeOf(kept)
  const calls: { index: number; end: (outcome: TxOutcome) => void }[] = []
  const node = {
    chain: {
      rounds: { recent: async () => ({ round: 9, startsAtSec: 0, endsAtSec: 960, nowSec: 600, block: 1 }) },
      readDemands: async () =>
        rollouts.map(({ index }) => ({ round: 6, peerKey, index, state: 'open', throughRound: 8 }) as LeafDemand),
      readRolloutCommitments: async () => [{ peerKey, contentId: word('07'), root: tree[0], count: 40 }],
      showLeaf: ({ header: { index } }: ShownLeaf) =>
        new Promise<TxOutcome>(end => {
          calls.push({ index, end })
        }),
    },
    bundles: { get: async () => new Uint8Array(1) },
    payloads: { open: async () => ({ payload: kept, tree }) },
    ...{ identity: { peerKey: showingKey }, chainId: 1, clock, logger: silentLogger, signal: stop.signal },
  } as unknown as PeerNode
  const showing = showDemanded(node, leaves)
  const queued: number[][] = []
  for (let poll = 0; poll < 3; poll += 1) {
    while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
    queued.push(calls.slice(queued.flat().length).map(({ index }) => index))
    if (poll === 1) for (const { end } of calls.slice(0, 16)) end({ status: 'mined', hash: word('08'), block: 2 })
    clock.advance(60_000)
  }
  stop.abort()
  await showing
  return queued
}

test('a peer queues all of its own leaves, and an evaluator sixteen of others, and sixteen more once these are mined', async () => {
  const own = await queuedAtPolls(peerKey, 'own')
  expect(own.map(leaves => new Set(leaves).size)).toEqual([40, 0, 0])
  const others = await queuedAtPolls(word('21'), 'others')
  expect(others.map(leaves => leaves.length)).toEqual([16, 0, 16])
  // Another evaluator begins with other leaves.
  const [first] = await queuedAtPolls(word('22'), 'others')
  expect(first?.filter(index => others[0]?.includes(index)).length).toBeLessThan(12)
})
