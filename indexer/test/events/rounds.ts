import { FINALITY_ROUNDS } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { encodeProposal, taskHash } from '../../../node/src/core/payloads/taskProposal.ts'
import { ENVIRONMENT, tasksOf } from '../testChain.ts'
import { digest } from '../testPeers.ts'
import type { Scene } from './scene.ts'

/** Events of a round: commitments, votes, settlements. */
export function testRounds(scene: Scene): void {
  test('a round counts what its peers did, and has the times that the contract computes', async () => {
    const { chain, indexer } = scene
    const { round } = await indexer.query(`{ round(number: 1) {
      startsAtSec endsAtSec finalAtSec environmentHash rolloutCommitments rollouts
      votesCommitted votesRevealed settled scored unavailable noQuorum scoreMilliSum meanScoreMilli
    } }`)
    const [startsAtSec, endsAtSec] = await chain.timesOf(1)
    const [finalAtSec] = await chain.timesOf(1 + FINALITY_ROUNDS + 1)
    expect(round).toEqual({
      startsAtSec: Number(startsAtSec),
      endsAtSec: Number(endsAtSec),
      finalAtSec: Number(finalAtSec),
      environmentHash: ENVIRONMENT,
      rolloutCommitments: 2,
      rollouts: 128,
      votesCommitted: 3,
      votesRevealed: 3,
      settled: 2,
      scored: 1,
      unavailable: 1,
      noQuorum: 0,
      scoreMilliSum: 600,
      meanScoreMilli: 600,
    })
  })

  test('a round has its beacon once that is recorded', async () => {
    const { chain, indexer } = scene
    const { rounds } = await indexer.query<{ rounds: { items: unknown[] } }>(
      '{ rounds(where: { number_in: [1, 2, 3] }, orderBy: "number") { items { beacon beaconBlock } } }',
    )
    const beacons = await Promise.all([1, 2, 3].map(round => chain.beaconOf(round)))
    expect(rounds.items).toEqual(beacons)
    expect(beacons.map(({ beacon }) => beacon !== null)).toEqual([true, true, true])
  })

  test('finality takes as many rounds as the contract says', async () => {
    const { chain } = scene
    expect(BigInt(FINALITY_ROUNDS)).toBe(await chain.finalityRounds())
  })

  test('tasks are reported as the chain has them, and of a commitment that was amended the latest, with the earlier ones counted', async () => {
    const { indexer, cast } = scene
    const rows = await indexer.query(`{
      round(number: 2) { proposals tasks unreadableTasks }
      proposals(where: { round: 2 }) { items { peerKey count unreadable bytes } }
      tasks(where: { round: 2 }, orderBy: "index") { items { peerKey index level text taskHash } }
      rolloutCommitments(where: { round: 1 }, orderBy: "amendments", orderDirection: "desc") {
        items { peerKey ordinal leafCount amendments root policyHash contentId settlement { outcome } }
      }
    }`)
    const { peerKey } = cast.proposer
    const proposed = tasksOf(8)
    const [first, second] = cast.solvers
    const rollouts = {
      leafCount: 64,
      root: digest('rollouts 64'),
      policyHash: digest('policy'),
      contentId: digest('rollout bundle'),
    }
    expect(rows).toEqual({
      round: { proposals: 1, tasks: 9, unreadableTasks: 1 },
      proposals: { items: [{ peerKey, count: 9, unreadable: 1, bytes: encodeProposal(proposed).byteLength }] },
      tasks: {
        items: proposed.texts.map((text, index) => {
          return { peerKey, index, level: proposed.level, text, taskHash: taskHash({ peerKey, index }) }
        }),
      },
      rolloutCommitments: {
        items: [
          { peerKey: first.peerKey, ordinal: 0, amendments: 1, ...rollouts, settlement: { outcome: 'scored' } },
          { peerKey: second.peerKey, ordinal: 1, amendments: 0, ...rollouts, settlement: { outcome: 'unavailable' } },
        ],
      },
    })
  })

  test('votes are kept one by one, with their components, and `unavailable` is not a score', async () => {
    const { indexer, cast } = scene
    const { votes } = await indexer.query<{ votes: { items: { scoreMilli: number | null }[] } }>(`{
      votes(where: { round: 1, peerKey: "${cast.solvers[1].peerKey}" }) {
        items { evaluatorKey shard scoreMilli componentRoot contentId atSec peerKey }
      }
    }`)
    expect(votes.items.map(({ scoreMilli }) => scoreMilli).sort()).toEqual([300, null, null])
    expect(votes.items[0]).toMatchObject({
      shard: 0,
      componentRoot: digest(`components of ${cast.solvers[1].peerId}`),
      contentId: digest('score sheet'),
      peerKey: cast.solvers[1].peerKey,
    })
  })

  test('settlements say how they came about, and points agree with the contract', async () => {
    const { chain, indexer, cast } = scene
    const [first, second] = cast.solvers
    const { settlements } = await indexer.query(`{
      settlements(where: { round: 1 }, orderBy: "scoreMilli", orderDirection: "desc") { items { peerKey outcome scoreMilli votes } }
    }`)
    expect(settlements).toEqual({
      items: [
        { peerKey: first.peerKey, outcome: 'scored', scoreMilli: 600, votes: 3 },
        { peerKey: second.peerKey, outcome: 'unavailable', scoreMilli: 0, votes: 3 },
      ],
    })
    const { peer } = await indexer.query(`{ peer(peerKey: "${first.peerKey}") { pointsMilli roundsSettled } }`)
    expect(peer).toEqual({ pointsMilli: String(await chain.points(first)), roundsSettled: 1 })
  })
}
