import { hexToBytes, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { decodeCanonical } from '#core/canonical.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import type { PeerNode } from '../peerNode.ts'
import { canaryPoints } from './gateway.ts'
import { specificationView, statusView } from './statusView.ts'

test('a page gets the very bytes that the chain has the hash of, and how many leaves are drawn', async () => {
  const { starter } = await loadEnvironments()
  const { hash, specification, places } = specificationView(starter)
  expect(keccak256(specification)).toBe(hash)
  const drawn = z.object({ sampledLeaves: z.literal(places) })
  expect(decodeCanonical(hexToBytes(specification), drawn, specification.length)).toEqual({ sampledLeaves: places })
})

test('the status counts the peers of the last rounds by role and release, and has each by its key', async () => {
  const kinds = { a: 'rollouts', b: 'canary', c: 'scores' }
  const releases: Record<string, string> = { a: '0.16.0', b: '0.17.0', c: '0.16.0' }
  const node = {
    chain: { rounds: { read: async () => ({ round: 9, endsAtSec: 30, nowSec: 10 }) } },
    network: {
      announcements: (at: number) => (at < 8 ? Object.entries(kinds).map(([peerId, kind]) => ({ kind, peerId })) : []),
      releaseOf: (peerId: string) => releases[peerId] ?? null,
      status: () => ({}),
    },
    environment: { hash: '0x', spec: {} },
  } as unknown as PeerNode
  const proposals = async (at: number) =>
    at === 9 ? [{ peerId: 'd', peerKey: peerKeyOf('d'), level: 2, texts: [] }] : []
  const { status, peers } = await statusView(node, proposals)
  expect(status).toMatchObject({ round: 9, level: 2, secondsLeft: 20 })
  expect(status.roles).toEqual({ solver: 2, evaluator: 1, proposer: 1 })
  expect(status.releases).toEqual({ '0.16.0': 2, '0.17.0': 1 })
  expect(peers.get(peerKeyOf('c'))).toMatchObject({ peerId: 'c', release: '0.16.0', lastSeenRound: 7 })
})

test('points of canaries come without the bins of their figures', async () => {
  const judge = { truePositives: 1, calibrationError: 0.5 }
  const measured = { round: 0, judge: { ...judge, bins: [{ predicted: 1, right: 0 }] } }
  const journal = {
    latestRound: () => 0,
    round: () => ({ 'measured a': measured, 'measured b': { round: 0 }, seen: true }),
  }
  expect(await canaryPoints({ journal } as unknown as PeerNode)).toEqual([{ round: 0, judge }, { round: 0 }])
})
