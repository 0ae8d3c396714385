import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { decodeScoreSheet, encodeScoreSheet, type PeerScore, payloadsHere } from '#core/payloads/payloads.ts'
import type { PeerNode } from '../peerNode.ts'
import { ballotsOf, keepScores, keptScores, partsOf, revealBallots, sealBallots } from './scoreSheets.ts'

const ROUND = 7
const key = (at: number): Hex => `0x${at.toString(16).padStart(64, '0')}`

/** Full shards of peers, each scored by its place: shards take turns, so that no part holds neighbours in order of key. */
function scored(count: number, leaves = 1) {
  const shards = Array.from({ length: count }, (_, shard) => ({
    ...{ shard, position: shard % 5 },
    peers: Array.from({ length: 32 }, (_, ordinal) => ({ peerKey: key(ordinal * count + shard), count: leaves })),
  }))
  const peers = Array.from({ length: 32 * count }, (_, at): PeerScore => {
    const scoreMilli = at % 1001
    const scores = Array.from({ length: leaves }, (_, index) => ({ index, components: { correct: 1 }, scoreMilli }))
    return { peerKey: key(at), scoreMilli, leaves: scores }
  })
  return { shards, scoreSheet: { v: 1 as const, chainId: 1, round: ROUND, evaluatorKey: key(0), peers } }
}

function disk() {
  const [files, facts] = [new Map<Hex, Uint8Array>(), new Map<string, unknown>()]
  const node = {
    payloads: payloadsHere,
    bundles: {
      put: async (bytes: Uint8Array) => {
        files.set(contentId(bytes), bytes)
        return contentId(bytes)
      },
      get: async (id: Hex) => files.get(id) ?? null,
    },
    journal: {
      get: (_: number, name: string) => facts.get(name),
      set: (_: number, name: string, value: unknown) => facts.set(name, value),
    },
  }
  return { node: node as unknown as PeerNode, files, facts }
}

test('an evaluator that is drawn for more peers than a payload takes votes on all of them', async () => {
  const { shards, scoreSheet } = scored(33)
  const { node, files } = disk()
  await keepScores(node, scoreSheet, shards)
  const kept = await keptScores(node, ROUND)
  if (kept === null) throw new Error('nothing was kept')
  expect(kept.scoreSheet).toEqual(scoreSheet)
  expect(kept.parts.map(({ peerKeys }) => peerKeys.size)).toEqual([1024, 32])
  for (const [at, ballot] of (await ballotsOf(kept, shards)).entries()) {
    const published = decodeScoreSheet(files.get(ballot.contentId) as Uint8Array)
    const { peers } = shards[at] as (typeof shards)[number]
    const found = peers.map(peer => published.peers.find(one => one.peerKey === peer.peerKey)?.scoreMilli)
    expect(ballot).toMatchObject({ shard: at, position: at % 5, scoresMilli: found })
  }
})

test('a ballot stays the committed one if an endpoint tells another number of leaves later', async () => {
  const { shards, scoreSheet } = scored(1, 8)
  const { node } = disk()
  const before = await ballotsOf(await keepScores(node, scoreSheet, shards), shards)
  const amended = shards.map(shard => ({ ...shard, peers: shard.peers.map(peer => ({ ...peer, count: 1 })) }))
  const kept = await keptScores(node, ROUND)
  if (kept === null) throw new Error('nothing was kept')
  expect(await ballotsOf(kept, amended)).toEqual(before)
})

test('scores of many leaves are split by their size', async () => {
  const { shards, scoreSheet } = scored(4, 8)
  const bytes = encodeScoreSheet(scoreSheet).byteLength
  const parts = await partsOf(scoreSheet, shards, { peers: 1024, bytes: bytes / 2 })
  expect(parts.map(peers => peers.length)).toEqual([32, 32, 32, 32])
  const larger = await partsOf(scoreSheet, shards, { peers: 1024, bytes: bytes / 2 + 1024 })
  expect(larger.map(peers => peers.length)).toEqual([64, 64])
})

test('a shard of the own account gets its ballot, and scores that are gone are made again', async () => {
  const { shards, scoreSheet } = scored(2)
  const { node, files, facts } = disk()
  const own = { shard: 2, position: 0, peers: [{ peerKey: key(999), count: 8 }] }
  const kept = await keepScores(node, scoreSheet, [...shards, own])
  expect((await ballotsOf(kept, [own]))[0]).toMatchObject({ scoresMilli: [UNAVAILABLE] })
  facts.set('scores', kept.parts[0]?.contentId)
  expect((await keptScores(node, ROUND))?.scoreSheet).toEqual(scoreSheet)
  files.clear()
  expect(await keptScores(node, ROUND)).toBeNull()
})

test('votes can be revealed without their scores from when they are sealed, and a seat says that these are lost, and how the reveal ended', async () => {
  const { shards, scoreSheet } = scored(2)
  const { node, files } = disk()
  const [calls, warned, told] = [[] as string[], [] as unknown[], [] as unknown[]]
  const revealed: unknown[] = []
  // A reveal has no outcome before its round.
  let reveal: Promise<unknown> = new Promise(() => {})
  const commit = Promise.resolve({ status: 'mined' })
  const call = (kind: string, outcome: () => Promise<unknown>) => (ballot: { shard: number }) => {
    calls.push(`${kind} ${ballot.shard}`)
    if (kind === 'reveal') revealed.push(ballot)
    return outcome()
  }
  const seat = {
    ...node,
    chain: { revealVotes: call('reveal', () => reveal), commitVotes: call('commit', () => commit) },
    logger: {
      ...silentLogger,
      warn: (message: string, fields: unknown) => warned.push([message, fields]),
      info: (message: string) => told.push(message),
    },
  } as unknown as PeerNode
  await revealBallots(seat, ROUND)
  expect(warned, 'of a round without votes').toEqual([])
  await sealBallots(seat, await keepScores(node, scoreSheet, shards), shards as never)
  expect(calls).toEqual(['reveal 0', 'reveal 1', 'commit 0', 'commit 1'])
  files.clear()
  reveal = commit
  await revealBallots(seat, ROUND)
  expect(warned).toEqual([[expect.stringContaining('score sheets are lost'), { round: ROUND, votes: 2 }]])
  expect(calls.slice(4)).toEqual(['reveal 0', 'reveal 1'])
  expect(revealed.slice(2), 'the same ballots, so that their calls are open again').toEqual(revealed.slice(0, 2))
  expect(told.slice(2)).toEqual(['votes revealed', 'votes revealed'])
})
