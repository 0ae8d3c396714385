import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { readNectarOf } from '../playOpenings.ts'
import type { TestPeer } from '../testPeers.ts'
import type { Scene } from './scene.ts'

const SCORE_MILLI = 900

/** What scores earn: by their weight, which a key's rounds before it decide. */
export function testEarnings(scene: Scene): void {
  test('a key that worked in fewer rounds earns less by the same score: as much as the contracts pay, to the last wei', async () => {
    const { chain, indexer, cast } = scene
    const [regular, other] = cast.solvers
    for (const workers of [[regular], [regular], [regular]]) await playScored(scene, workers)
    const round = await playScored(scene, [regular, other])
    await chain.enter(round + 7)
    await indexer.reachTip(chain)
    const { earnings, purses } = await indexer.query<Record<string, { items: Record<string, string>[] }>>(`{
      earnings(where: { round: ${round} }) { items { peerKey amountWei } }
      purses(limit: 1000) { items { peerKey claimedWei claimableWei } }
    }`)
    const amountOf = ({ peerKey }: TestPeer) =>
      BigInt(earnings?.items.find(one => one.peerKey === peerKey)?.amountWei ?? 0)
    expect(amountOf(other)).toBeGreaterThan(0n)
    expect(amountOf(regular)).toBeGreaterThan(amountOf(other))
    for (const { peerKey, ...held } of purses?.items ?? [])
      expect(held, peerKey).toEqual(await readNectarOf(chain, peerKey as Hex))
  })
}

/** Plays a round in which some solvers work and all seats give the same score; it is over when the round is settled. */
async function playScored({ chain, cast }: Scene, workers: TestPeer[]): Promise<number> {
  const round = await chain.currentRound()
  for (const worker of workers) await chain.commit(worker, round, 8)
  await chain.enter(round + 1)
  const ballots = cast.evaluators.map(evaluator => {
    return { evaluator, scores: workers.map(peer => ({ peer, scoreMilli: SCORE_MILLI })) }
  })
  for (const ballot of ballots) await chain.commitVotes(round, ballot)
  await chain.enter(round + 2)
  for (const ballot of ballots) await chain.revealVotes(round, ballot)
  await chain.enter(round + 3)
  await chain.settle(round, workers)
  return round
}
