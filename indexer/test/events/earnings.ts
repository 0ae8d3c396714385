import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { appeal, closeAppeal, closeDemand, commitLeaves, demandLeaf } from '../playChallenges.ts'
import { readNectarOf } from '../playOpenings.ts'
import type { TestPeer } from '../testPeers.ts'
import type { Scene } from './scene.ts'

const SCORE_MILLI = 900

/** Earnings of scores: by their weight, which depends on a key's rounds before. */
export function testEarnings(scene: Scene): void {
  test('a key that worked in fewer rounds earns less by the same score: as much as the contracts pay, to the last wei', async () => {
    const { chain, indexer, cast } = scene
    const [regular, other] = cast.solvers
    for (const workers of [[regular], [regular], [regular]]) await playScored(scene, workers)
    const round = await playScored(scene, [regular, other])
    await chain.enter(round + 7)
    await indexer.reachTip(chain)
    const { earnings } = await indexer.query<Record<string, { items: Record<string, string>[] }>>(
      `{ earnings(where: { round: ${round} }) { items { peerKey amountWei } } }`,
    )
    const amountOf = ({ peerKey }: TestPeer) =>
      BigInt(earnings?.items.find(one => one.peerKey === peerKey)?.amountWei ?? 0)
    expect(amountOf(other)).toBeGreaterThan(0n)
    expect(amountOf(regular)).toBeGreaterThan(amountOf(other))
    await expectPurses(scene)
  })

  test('a case that is closed after twelve rounds leaves what others had of its round by then, as in the contract', async () => {
    const { chain, cast } = scene
    const [regular, appealed] = cast.solvers
    const round = await playScored(scene, [regular, appealed], [SCORE_MILLI, 100])
    await appeal(chain, appealed, round)
    await chain.enter(round + 12)
    // Its outcome takes the place of the one of twelve rounds before.
    expect(await playScored(scene, [regular])).toBe(round + 12)
    await closeAppeal(chain, appealed, round)
    await chain.enter(round + 16)
    await expectPurses(scene)
  })

  test('an outage is held to the mean that its first page found, whatever later pages would find', async () => {
    const { chain, indexer, cast } = scene
    const [regular, withholding] = cast.solvers
    const round = await chain.currentRound()
    const outage = round + 1
    const work = await commitLeaves(chain, withholding, round)
    await chain.commit(regular, round, 8)
    await chain.enter(outage)
    await chain.commit(regular, outage, 8)
    const index = await demandLeaf(chain, work, 0)
    await vote(scene, round, [withholding, regular])
    await chain.enter(round + 3)
    await chain.settle(round, [withholding, regular])
    await chain.enter(outage + 3)
    await chain.settle(outage, [regular])
    const meanOf = async () => {
      const { rewardVotes } = chain.contracts
      const args = [BigInt(outage)] as const
      return Number((await chain.client.readContract({ ...rewardVotes, functionName: 'totalsOf', args }))[3])
    }
    const first = await meanOf()
    expect(first).toBeGreaterThan(0)
    // The last counted round weighs less now: a page that settles nobody finds another mean.
    await closeDemand(chain, work, index)
    await chain.settle(outage, [])
    expect(await meanOf()).toBe(first)
    await indexer.reachTip(chain)
    expect(await indexer.query(`{ round(number: ${outage}) { countedNumber meanWeight } }`)).toEqual({
      round: { countedNumber: null, meanWeight: first },
    })
  })
}

/** Claimable and paid amounts of every peer, as the contracts have them. */
async function expectPurses({ chain, indexer }: Scene): Promise<void> {
  await indexer.reachTip(chain)
  const { peers } = await indexer.query<{ peers: { items: { purse: Record<string, string> }[] } }>(
    '{ peers(limit: 1000) { items { purse { peerKey claimedWei claimableWei } } } }',
  )
  for (const { peerKey, ...held } of peers.items.map(({ purse }) => purse))
    expect(held, peerKey).toEqual(await readNectarOf(chain, peerKey as Hex))
}

/** Plays a round in which some solvers work and all seats give the same scores; it is over when the round is settled. */
async function playScored(scene: Scene, workers: TestPeer[], scoresMilli: readonly number[] = []): Promise<number> {
  const { chain } = scene
  const round = await chain.currentRound()
  for (const worker of workers) await chain.commit(worker, round, 8)
  await chain.enter(round + 1)
  await vote(scene, round, workers, scoresMilli)
  await chain.enter(round + 3)
  await chain.settle(round, workers)
  return round
}

/** From the round after one into the second after it. */
async function vote({ chain, cast }: Scene, round: number, workers: TestPeer[], scoresMilli: readonly number[] = []) {
  const scores = workers.map((peer, at) => ({ peer, scoreMilli: scoresMilli[at] ?? SCORE_MILLI }))
  const ballots = cast.evaluators.map(evaluator => ({ evaluator, scores }))
  for (const ballot of ballots) await chain.commitVotes(round, ballot)
  await chain.enter(round + 2)
  for (const ballot of ballots) await chain.revealVotes(round, ballot)
}
