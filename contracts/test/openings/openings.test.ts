import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from 'viem'
import { specifiedSample } from '../../../node/src/chain/votes/samples.ts'
import { type Ballot, voteCommitment } from '../../../node/src/chain/votes/votes.ts'
import { merkleProof } from '../../../node/src/core/merkle.ts'
import { componentsHash, type PeerScore, scoreTree } from '../../../node/src/core/payloads/scoreSheet.ts'
import { taskHash } from '../../../node/src/core/payloads/taskProposal.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { sampledLeaves } from '../../../node/src/roles/draws/drawCommittee.ts'
import { drawAmong, drawnLeaf, openingSeed, placeOf } from '../../../node/src/roles/draws/drawOpening.ts'
import { hashOf, type Member, openSwarm, type Swarm } from '../openSwarm.ts'
import { type ModelSeat, UNAVAILABLE, type Verdict, verdictOn } from '../settlementModel.ts'
import {
  type ModelOpening,
  type ModelPart,
  mayClaim,
  mayOpen,
  medianOpened,
  seatPay,
  taskPay,
} from './openingsModel.ts'
import {
  challengeSecret,
  claimOf,
  commitSecrets,
  LEAVES,
  type Proposal,
  proposeTasks,
  SAMPLED,
  SPECIFICATION,
  taskIndexOf,
  workOf,
} from './proposals.ts'

/** Two shards in the first round, one in the others. */
const ROUNDS = [33, 5, 4, 5, 4, 5, 4]
/** Beacons are hashes of blocks, which differ with the contracts' code: rounds are added until all was met. */
const MOST_ROUNDS = 40
const TO_MEET = [
  'agreed',
  'below the mean',
  'never proposed',
  'no points',
  'not the drawn leaf',
  'paid',
  'refused challenge',
  'refused claim',
  'refused opening',
  'too few',
  'withheld',
]
const salt = hashOf('salt')
const random = seededRandom('openings against their model')

/** A seat's ballot, and the scores behind it. */
interface Played {
  readonly ballot: Ballot
  readonly peers: readonly PeerScore[]
}

/** A shard's openings as they are played. */
interface Shard {
  readonly round: bigint
  readonly shard: number
  readonly peers: readonly Member[]
  readonly played: readonly Played[]
  readonly proposals: readonly Proposal[]
}

test('pay for openings and for tasks is that of a plain model, over random shards, votes, claims and faults', async () => {
  const swarm = await openSwarm({ evaluators: 7, peers: 33, peerAccounts: 12, specification: SPECIFICATION })
  const { specification, owedAt, sampledAt } = specifiedSample(SPECIFICATION)
  await swarm.openings.write.describe([specification, owedAt, sampledAt])
  const earned = new Map([...swarm.peers, ...swarm.evaluators].map(({ key }) => [key, 0n]))
  const seen = new Set<string>()
  for (let at = 0; at < ROUNDS.length || (seen.size < TO_MEET.length && at < MOST_ROUNDS); at++) {
    await playRound(swarm, BigInt(3 + 8 * at), swarm.peers.slice(0, ROUNDS[at] ?? 4), earned, seen)
    for (const [key, amountWei] of earned) assert.equal(await swarm.openings.read.earnedOf([key]), amountWei)
  }
  assert.deepEqual([...seen].sort(), TO_MEET)
})

async function playRound(
  swarm: Swarm,
  round: bigint,
  peers: readonly Member[],
  earned: Map<Hex, bigint>,
  seen: Set<string>,
): Promise<void> {
  const { commitments, votes, enter } = swarm
  const earn = (key: string, wei: bigint) => earned.set(key as Hex, (earned.get(key as Hex) ?? 0n) + wei)
  await enter(round - 2n)
  await commitSecrets(swarm, round)
  await enter(round - 1n)
  const proposals = await proposeTasks(swarm, round, random)
  await enter(round)
  for (const { key, account } of peers) {
    const { root, leafCount, policyHash, contentId } = workOf(swarm, round, key)
    await commitments.write.commit([round, key, root, leafCount, policyHash, contentId, policyHash], { account })
  }
  await enter(round + 1n)
  const members = [peers.slice(0, 32), peers.slice(32)].filter(({ length }) => length > 0)
  const shards: Shard[] = []
  for (const [shard, some] of members.entries()) {
    const played = await vote(swarm, round, shard, some)
    shards.push({ round, shard, peers: some, played, proposals })
  }
  await enter(round + 2n)
  for (const { ballot } of shards.flatMap(({ played }) => played)) await votes.write.revealVotes([ballot, salt])
  await enter(round + 3n)
  for (const { shard, peers: some } of shards) await votes.write.settle([round, shard, some.map(({ key }) => key)])
  await enter(round + 4n)
  const drawn = []
  for (const shard of shards) drawn.push(await openShard(swarm, shard, seen))
  await enter(round + 5n)
  for (const [at, shard] of shards.entries()) {
    const opened = drawn[at] ?? null
    if (opened === null) continue
    const { peer, index, openings, verdict } = opened
    const ofRound = drawn.reduce((sum, one) => sum + (one?.scored ?? 0), 0)
    const [, , weight, meanWeight] = await votes.read.totalsOf([round])
    const part: ModelPart = { ofShard: opened.scored, ofRound, weight: Number(weight), meanWeight: Number(meanWeight) }
    if (weight < meanWeight) seen.add('below the mean')
    if (random.chance(0.5)) await swarm.openings.write.close([round, shard.shard])
    const paid = await claimAll(swarm, shard, { peer, index }, openings, seen)
    // Claims close openings on their way.
    if (paid === null) await swarm.openings.write.close([round, shard.shard])
    for (const [key, wei] of seatPay(openings, verdict.scoreMilli, part)) earn(key, wei)
    const medianMilli = medianOpened(openings)
    if (paid === null || medianMilli === null) continue
    seen.add('paid')
    earn(paid, taskPay(medianMilli, part))
  }
  for (const proposal of random.shuffled([...proposals, ...proposals])) {
    if (random.chance(0.5)) continue
    const isDue = proposal.count === 0 && !proposal.isShown
    const isFound = await challengeSecret(swarm, round, proposal)
    assert.equal(isFound, isDue)
    seen.add(isFound ? 'withheld' : 'refused challenge')
  }
}

/** A committee seals its ballots; most of it sees much the same, in peers as in leaves. */
async function vote({ votes, chainId, accountOf }: Swarm, round: bigint, shard: number, peers: readonly Member[]) {
  // Some have no work, in small shards all.
  const truths = peers.map(() => (random.chance(0.4) ? null : random.between(0, 1000)))
  const leafTruths = peers.map(() => Array.from({ length: LEAVES }, () => random.between(0, 1000)))
  const near = (truth: number) => {
    const milli = random.chance(0.9) ? truth + random.between(-18, 18) : random.between(0, 1000)
    return Math.min(1000, Math.max(0, milli))
  }
  const scoreFor = (truth: number | null) => (truth === null ? random.pick([0, UNAVAILABLE]) : near(truth))
  const played: Played[] = []
  for (const [position, evaluatorKey] of (await votes.read.committeeOf([round, shard])).entries()) {
    const scored = peers.map(({ key: peerKey }, at): PeerScore => {
      const leaves = (leafTruths[at] as number[]).map((truth, index) => ({
        index,
        components: { solved: index },
        scoreMilli: near(truth),
      }))
      return { peerKey, scoreMilli: scoreFor(truths[at] ?? null), leaves }
    })
    const scoreSheet = { v: 1 as const, chainId, round: Number(round), evaluatorKey }
    const ballot = {
      ...{ round, shard, position, evaluatorKey },
      scoresMilli: scored.map(({ scoreMilli }) => scoreMilli),
      componentRoots: scored.map(peer => scoreTree(scoreSheet, peer, LEAVES).root),
      contentId: salt,
    }
    const commitment = voteCommitment({ chainId, rewardVotes: votes.address }, ballot, salt)
    const account = accountOf(evaluatorKey)
    await votes.write.commitVotes([round, shard, position, evaluatorKey, commitment], { account })
    played.push({ ballot, peers: scored })
  }
  return played
}

/** Seats open a leaf of the peer that was drawn, mostly the one that was drawn; now and then most of them another. @returns what got through. */
async function openShard(swarm: Swarm, { round, shard, peers, played }: Shard, seen: Set<string>) {
  const { openings: contract, accounts, accountOf, chainId, rounds } = swarm
  const seats: ModelSeat[] = played.map(({ ballot }) => ({
    account: accountOf(ballot.evaluatorKey),
    sealed: true,
    opened: ballot.scoresMilli,
  }))
  const verdicts = peers.map((peer, place) => verdictOn(peer, place, seats))
  const places = new Set(verdicts.flatMap(({ scoreMilli }, at) => (scoreMilli > 0 ? [at] : [])))
  if (places.size === 0) {
    seen.add('no points')
    await assert.rejects(contract.read.drawnOf([round, shard]), /Openings_NothingDrawn/)
    return null
  }
  const seed = openingSeed(chainId, Number(round), await rounds.read.beaconOf([round + 2n]), shard)
  const [at, place] = [drawAmong(places, seed), placeOf(seed)]
  assert.deepEqual(await contract.read.drawnOf([round, shard]), [32 * shard + at, place])
  const peer = peers[at] as Member
  const verdict = verdicts[at] as Verdict
  const openings: ModelOpening[] = []
  const owed = { owedLeaves: LEAVES, sampledLeaves: SAMPLED }
  const beacon = await rounds.read.beaconOf([round])
  const drawn = drawnLeaf(sampledLeaves(chainId, Number(round), beacon, peer.key, owed), place, LEAVES) as number
  const chance = random.pick([0, 0.1, 0.6])
  for (const { ballot, peers: scored } of random.shuffled(played)) {
    if (random.chance(0.1)) continue
    const index = random.chance(chance) ? random.between(0, LEAVES - 1) : drawn
    const score = scored[at] as PeerScore
    const { scoreMilli, components } = score.leaves[index] as PeerScore['leaves'][number]
    const scoreSheet = { v: 1 as const, chainId, round: Number(round), evaluatorKey: ballot.evaluatorKey }
    const { leaves, hashes, ...work } = workOf(swarm, round, peer.key)
    const opening = {
      ...{ ballot, salt, peerKey: peer.key, work, scoreMilli },
      leaf: leaves[index] as (typeof leaves)[number],
      leafProof: merkleProof(hashes, index),
      componentsHash: componentsHash(components),
      componentProof: scoreTree(scoreSheet, score, LEAVES).proofOf(index),
    }
    const voteMilli = score.scoreMilli
    const account = accountOf(ballot.evaluatorKey)
    if (random.chance(0.1)) {
      const stranger = { account: random.pick(accounts.filter(one => one !== account)) }
      await assert.rejects(contract.write.open([opening], stranger), /Openings_NotSeatAccount/)
    }
    const sent = await contract.write.open([opening], { account }).then(
      () => true,
      () => false,
    )
    const isGood = mayOpen(voteMilli, account === peer.account, verdict)
    assert.equal(sent, isGood && index === drawn)
    if (sent) openings.push({ key: ballot.evaluatorKey, voteMilli, scoreMilli })
    else seen.add(isGood ? 'not the drawn leaf' : 'refused opening')
  }
  const medianMilli = medianOpened(openings)
  const told = await contract.read.agreedOf([round, shard])
  assert.deepEqual(told, medianMilli === null ? [0, UNAVAILABLE] : [drawn, medianMilli])
  seen.add(medianMilli === null ? 'too few' : 'agreed')
  return { peer, index: drawn, openings, verdict, scored: places.size }
}

/** Proposers claim the leaf's task in any order, all of them twice. @returns whose claim got through. */
async function claimAll(
  swarm: Swarm,
  { round, shard, proposals }: Shard,
  { peer, index: leaf }: { peer: Member; index: number },
  openings: readonly ModelOpening[],
  seen: Set<string>,
): Promise<Hex | null> {
  const isAgreed = medianOpened(openings) !== null
  let paid: Hex | null = null
  for (const { proposer, count } of random.shuffled([...proposals, ...proposals])) {
    if (random.chance(0.25)) continue
    const words = claimOf(swarm, { round, shard, peerKey: peer.key, leaf }, proposer.key)
    const taskIndex = taskIndexOf(peer.key)
    const isNamed = words.leaf.taskHash === taskHash({ peerKey: proposer.key, index: taskIndex })
    const isGood: boolean = isAgreed && mayClaim({ isNamed, taskIndex, count }, paid !== null)
    const sent: boolean = await swarm.openings.write.claimTask([words]).then(
      () => true,
      () => false,
    )
    assert.equal(sent, isGood)
    if (sent) paid = proposer.key
    else seen.add(isNamed && taskIndex >= count ? 'never proposed' : 'refused claim')
  }
  return paid
}
