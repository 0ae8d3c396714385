import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from 'viem'
import { type Ballot, voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { hashOf, openSwarm, type Swarm } from './openSwarm.ts'
import {
  EMISSION_WEI,
  isOutage,
  type ModelSeat,
  meanWeightOf,
  missesAfter,
  sharesOf,
  UNAVAILABLE,
  verdictOn,
  WINDOW,
  weightOf,
} from './settlementModel.ts'

const PEERS = 40
const EVALUATORS = 7
const outcomes = ['', 'scored', 'unavailable', 'no quorum']
const random = seededRandom('settlement against its model')

/** A ballot, and its outcome. */
type Played = { ballot: Ballot; account: Address; sealed: boolean; opened: boolean }

test('settlement, absences and earnings are those of a plain model, over random rounds of two shards', async () => {
  const swarm = await openSwarm({ evaluators: EVALUATORS, peers: PEERS, peerAccounts: 12 })
  const misses = new Map(swarm.evaluators.map(({ key }) => [key, 0]))
  const earned = new Map([...swarm.peers, ...swarm.evaluators].map(({ key }) => [key, 0n]))
  const points = new Map(swarm.peers.map(({ key }) => [key, 0]))
  const seen = new Set<string>()
  const counted: Map<Hex, number>[] = []
  const countedWeights: number[] = []
  for (let round = 1n; round <= 21n; round += 4n) {
    const { scores, outage } = await playRound(swarm, round, misses, seen)
    const before = counted.slice(1 - WINDOW)
    const weights = [...scores].map(([key, score]) =>
      weightOf(
        score,
        before.reduce((sum, earlier) => sum + (earlier.get(key) ?? 0), 0),
      ),
    )
    const shares = sharesOf(weights, EMISSION_WEI, meanWeightOf(countedWeights))
    const weight = weights.reduce((sum, one) => sum + one, 0)
    const [, , ...told] = await swarm.votes.read.totalsOf([round])
    assert.deepEqual(told, [BigInt(weight), BigInt(meanWeightOf(countedWeights))])
    if (weight < meanWeightOf(countedWeights)) seen.add('below the mean')
    if (!outage) {
      counted.push(scores)
      countedWeights.push(weight)
    }
    for (const [i, key] of [...scores.keys()].entries()) earned.set(key, (earned.get(key) ?? 0n) + (shares[i] ?? 0n))
    for (const [key, score] of scores) points.set(key, (points.get(key) ?? 0) + score)
  }
  await swarm.enter(40n)
  for (const { key } of swarm.peers) {
    assert.equal(await swarm.votes.read.points([key]), BigInt(points.get(key) ?? 0))
  }
  for (const [key, amountWei] of earned) assert.equal(await swarm.votes.read.earnedOf([key]), amountWei)
  assert.deepEqual([...seen].sort(), ['below the mean', 'heard', 'no quorum', 'outage', 'scored', 'unavailable'])
})

/** Plays a round at random and holds what is settled to the model. @returns each peer's score, and whether the round was an outage. */
async function playRound(swarm: Swarm, round: bigint, misses: Map<Hex, number>, seen: Set<string>) {
  const { votes, commitments, chainId, enter, accountOf } = swarm
  await enter(round)
  const committed = random.shuffled(swarm.peers.filter(() => random.chance(0.9)))
  for (const { key, account } of committed)
    await commitments.write.commit([round, key, hashOf(key), 64, key, key, key], { account })
  await enter(round + 1n)
  const shards = [committed.slice(0, 32), committed.slice(32)].filter(({ length }) => length > 0)
  const played: Played[] = []
  const comes = random.pick([0.85, 0.85, 0.6])
  for (const [shard, peers] of shards.entries()) {
    const committee = await votes.read.committeeOf([round, shard])
    for (const [position, evaluatorKey] of committee.entries()) {
      const ballot = {
        round,
        shard,
        position,
        evaluatorKey,
        scoresMilli: peers.map((_, place) =>
          random.chance(place % 3 === 0 ? 0.5 : 0.15) ? UNAVAILABLE : random.between(0, 1000),
        ),
        componentRoots: peers.map(({ key }) => key),
        contentId: hashOf('ballot'),
      }
      const [sealed, opened] = [random.chance(comes), random.chance(comes)]
      const account = accountOf(evaluatorKey)
      const commitment = voteCommitment({ chainId, rewardVotes: votes.address }, ballot, evaluatorKey)
      if (sealed) await votes.write.commitVotes([round, shard, position, evaluatorKey, commitment], { account })
      played.push({ ballot, account, sealed, opened: sealed && opened })
    }
  }
  await enter(round + 2n)
  for (const { ballot, opened } of played) if (opened) await votes.write.revealVotes([ballot, ballot.evaluatorKey])
  await enter(round + 3n)
  const scores = new Map<Hex, number>()
  const seated = shards.map((_, shard) =>
    played
      .filter(({ ballot }) => ballot.shard === shard)
      .map(
        ({ account, sealed, opened, ballot }): ModelSeat => ({
          account,
          sealed,
          opened: opened ? ballot.scoresMilli : null,
        }),
      ),
  )
  const outage = isOutage(seated)
  seen.add(outage ? 'outage' : 'heard')
  for (const [shard, peers] of shards.entries()) {
    const cut = random.between(0, peers.length - 1)
    await votes.write.settle([round, shard, peers.slice(0, cut).map(({ key }) => key)])
    await votes.write.settle([round, shard, peers.map(({ key }) => key)])
    const committee = played.filter(({ ballot }) => ballot.shard === shard)
    const seats = seated[shard] ?? []
    for (const [place, peer] of peers.entries()) {
      const verdict = verdictOn(peer, place, seats)
      const [outcome, scoreMilli] = await votes.read.outcomeOf([round, peer.key])
      assert.deepEqual([outcomes[outcome], scoreMilli], [verdict.outcome, verdict.scoreMilli])
      scores.set(peer.key, scoreMilli)
      seen.add(verdict.outcome)
    }
    for (const [i, { ballot }] of committee.entries()) {
      const { evaluatorKey } = ballot
      const after = missesAfter(seats[i] as ModelSeat, misses.get(evaluatorKey) ?? 0, outage)
      assert.equal(await votes.read.missesOf([evaluatorKey]), after)
      misses.set(evaluatorKey, after)
      if (after < 6) continue
      // It has lost its seat; the administrator gives it back, and its misses with it.
      await votes.write.admitEvaluator([evaluatorKey])
      misses.set(evaluatorKey, 0)
    }
  }
  const [total] = await votes.read.totalsOf([round])
  assert.equal(
    total,
    [...scores.values()].reduce((sum, score) => sum + BigInt(score), 0n),
  )
  return { scores, outage }
}
