import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, getAddress, type Hex } from 'viem'
import { appealCommitment } from '../../../node/src/chain/challenges/appealCommitment.ts'
import { voteCommitment } from '../../../node/src/chain/votes/votes.ts'
import { leafHash } from '../../../node/src/core/payloads/leaf.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { FIRST_BOND_WEI } from '../../../scripts/deploy/constructorArguments.ts'
import { hashOf, type Member, openSwarm, type Swarm } from '../openSwarm.ts'
import { EMISSION_WEI, meanWeightOf, sharesOf, UNAVAILABLE, weightOf } from '../settlementModel.ts'
import {
  isGone,
  isTakable,
  type ModelAppeal,
  type ModelCase,
  type ModelSeat,
  rule,
  type SeatDeed,
} from './appealModel.ts'

const SCENARIOS = 6
const faults = ['sealed', 'overturned']
const random = seededRandom('appeals against their model')
const salt = hashOf('salt')

/** A case as it is played; scores cluster around a few truths, so that committees and juries sometimes agree. */
interface Case {
  peer: Member
  truths: number[]
  model: ModelCase & { appeals: ModelAppeal[] }
  /** Whether the peer lost the round for another reason: then the verdict changes no score. */
  isMoot: boolean
}

test('scores, bonds, pay, blame and earnings of appeals are those of a plain model, over random cases', async () => {
  // More than eleven seats: a first jury is a sample, a second holds all. Some accounts also speak for peers of the rounds.
  const swarm = await openSwarm({ evaluators: 13, peers: 17, peerAccounts: 19 })
  const peers = [0, 5, 14, 15].map(at => swarm.peers[at] as Member)
  const points = new Map(peers.map(({ key }) => [key, 0]))
  const earned = new Map(peers.map(({ key }) => [key, 0n]))
  const owed = new Map<Address, bigint>()
  const seen = new Set<string>()
  const counted: number[] = []
  for (let round = 1n; round <= BigInt(SCENARIOS) * 11n; round += 11n) {
    const finals = await playScenario(swarm, round, peers, owed, seen)
    const weights = [...finals].map(([key, score]) => weightOf(score, points.get(key) ?? 0))
    const shares = sharesOf(weights, EMISSION_WEI, meanWeightOf(counted))
    counted.push(weights.reduce((sum, weight) => sum + weight, 0))
    for (const [at, [key, score]] of [...finals].entries()) {
      points.set(key, (points.get(key) ?? 0) + score)
      earned.set(key, (earned.get(key) ?? 0n) + (shares[at] ?? 0n))
    }
    const { votes, challenges, client } = swarm
    for (const { key } of peers) {
      assert.equal(await votes.read.points([key]), BigInt(points.get(key) ?? 0))
      assert.equal(await votes.read.earnedOf([key]), earned.get(key))
    }
    for (const account of swarm.accounts)
      assert.equal(await challenges.read.creditOf([account]), owed.get(getAddress(account)) ?? 0n)
    const total = [...owed.values()].reduce((sum, wei) => sum + wei, 0n)
    assert.equal(await client.getBalance({ address: challenges.address }), total)
  }
  assert.deepEqual(
    [...seen].sort(),
    ['blamed where moot', 'changed', 'moot', 'second', 'stands', 'taken', ...faults].sort(),
  )
})

/** A round in which every peer is scored, some are appealed, and all that is open is closed. @returns what each peer has in the end. */
async function playScenario(
  swarm: Swarm,
  round: bigint,
  peers: readonly Member[],
  owed: Map<Address, bigint>,
  seen: Set<string>,
): Promise<Map<Hex, number>> {
  const { votes, challenges, enter } = swarm
  await enter(round)
  for (const { key, account } of peers) {
    const { root, leafCount, policyHash, contentId } = workOf(swarm, round, key)
    await swarm.commitments.write.commit([round, key, root, leafCount, policyHash, contentId, policyHash], { account })
  }
  const cases = await scoreAll(swarm, round, peers)
  await enter(round + 3n)
  await votes.write.settle([round, 0, peers.map(({ key }) => key)])
  const finals = new Map<Hex, number>()
  for (const one of cases) {
    const [, settledMilli] = await votes.read.outcomeOf([round, one.peer.key])
    one.model = { ...one.model, settledMilli }
    finals.set(one.peer.key, settledMilli)
  }
  const open = cases.filter(() => random.chance(0.8))
  for (const one of open) await openAppeal(swarm, round, one, 1)
  const moot = open.find(() => random.chance(0.25))
  if (moot !== undefined) await showFalse(swarm, round, moot)
  await judge(swarm, round, open, 1)
  await enter(round + 6n)
  const isOver = ({ appeals, ...model }: ModelCase) => isGone(appeals[0]?.jury ?? []) && !isTakable(model)
  const again = open.filter(({ model }) => !isOver(model) && random.chance(0.6))
  for (const one of again) await openAppeal(swarm, round, one, 2)
  await judge(swarm, round, again, 2)
  await enter(round + 9n)
  for (const one of open) {
    const { peer, model, isMoot } = one
    const ruling = rule(model)
    const blames = await closeAndJudge(swarm, round, one)
    assert.deepEqual(blames.sort(), ruling.blames)
    const closed = await challenges.read.caseOf([round, peer.key])
    assert.deepEqual([closed.finalMilli, closed.isMoot], [ruling.finalMilli, isMoot])
    const bondsWei = model.appeals.reduce((sum, { bondWei }) => sum + bondWei, 0n)
    const paidWei = [...ruling.owedWei.values()].reduce((sum, wei) => sum + wei, 0n)
    assert.equal(paidWei, bondsWei)
    for (const [account, wei] of ruling.owedWei) {
      const at = getAddress(account)
      owed.set(at, (owed.get(at) ?? 0n) + wei)
    }
    finals.set(peer.key, isMoot ? 0 : ruling.finalMilli)
    if (ruling.isTaken) seen.add('taken')
    if (isMoot && blames.length > 0) seen.add('blamed where moot')
    seen.add(isMoot ? 'moot' : ruling.finalMilli === model.settledMilli ? 'stands' : 'changed')
    if (model.appeals.length === 2) seen.add('second')
    for (const blame of blames) seen.add(blame.split(' ')[2] as string)
  }
  // An account that lost its seat by blame gets it back, and its misses with it.
  for (const { key } of swarm.evaluators)
    if ((await votes.read.missesOf([key])) > 0) {
      await votes.write.removeEvaluator([key]).catch(() => {})
      await votes.write.admitEvaluator([key])
    }
  return finals
}

/** One leaf, whose seed is of the peer's own choice: so that it can be shown to be false. */
function workOf({ chainId }: Swarm, round: bigint, peerKey: Hex) {
  const leaf = { index: 0, taskHash: salt, policyHash: salt, seed: salt, bodyHash: salt }
  const root = leafHash({ chainId, round: Number(round), peerKey, ...leaf })
  return { root, leafCount: 1, policyHash: salt, contentId: salt, leaf }
}

async function showFalse({ challenges, ...swarm }: Swarm, round: bigint, found: Case): Promise<void> {
  const { leaf, ...work } = workOf({ challenges, ...swarm }, round, found.peer.key)
  await challenges.write.challengeLeaf([round, found.peer.key, work, leaf, []])
  found.isMoot = true
}

/** A score near one of the truths, or none. */
function scoreNear(truths: readonly number[]): number {
  if (random.chance(0.1)) return UNAVAILABLE
  return Math.min(1000, Math.max(0, random.pick(truths) + random.between(-30, 30)))
}

/** The committee votes; most of it on the first truth of each peer. */
async function scoreAll({ votes, chainId, enter, accountOf }: Swarm, round: bigint, peers: readonly Member[]) {
  const cases: Case[] = peers.map(peer => {
    const truths = [random.between(0, 1000), random.between(0, 1000)]
    const model = { peerAccount: peer.account, settledMilli: 0, committee: [], appeals: [] }
    return { peer, truths, model, isMoot: false }
  })
  await enter(round + 1n)
  const committee = await votes.read.committeeOf([round, 0])
  const ballots = committee.map((evaluatorKey, position) => ({
    ...{ round, shard: 0, position, evaluatorKey },
    scoresMilli: cases.map(({ truths: [first = 0] }) => scoreNear([first])),
    componentRoots: peers.map(() => salt),
    contentId: salt,
  }))
  for (const ballot of ballots) {
    const commitment = voteCommitment({ chainId, rewardVotes: votes.address }, ballot, salt)
    const { position, evaluatorKey } = ballot
    const account = accountOf(evaluatorKey)
    await votes.write.commitVotes([round, 0, position, evaluatorKey, commitment], { account })
  }
  await enter(round + 2n)
  for (const ballot of ballots) await votes.write.revealVotes([ballot, salt])
  for (const [place, found] of cases.entries()) {
    const opened = ballots.map(({ evaluatorKey: key, scoresMilli }) => ({
      ...{ key, account: accountOf(key) },
      scoreMilli: scoresMilli[place] ?? 0,
    }))
    found.model = { ...found.model, committee: opened }
  }
  return cases
}

async function openAppeal({ challenges, accounts }: Swarm, round: bigint, found: Case, level: number): Promise<void> {
  const { peer, model } = found
  // Sometimes the peer itself, sometimes an account with a seat.
  const appellant = random.chance(0.25) ? peer.account : (random.pick(accounts.slice(1)) as Address)
  const bondWei = FIRST_BOND_WEI << BigInt(level - 1)
  await challenges.write.appeal([round, peer.key], { account: appellant, value: bondWei })
  model.appeals.push({ appellant, bondWei, jury: [] })
}

/** The seats of the newest appeals stay away, seal, or seal and open a verdict. */
async function judge({ challenges, chainId, enter, accountOf }: Swarm, round: bigint, open: Case[], level: number) {
  const opened = round + 3n * BigInt(level)
  await enter(opened + 1n)
  const at = { chainId, challenges: challenges.address }
  const reveals: [bigint, Hex, number, number, Hex][] = []
  for (const { peer, truths, model } of open) {
    const parties = [peer.account, ...model.appeals.map(({ appellant }) => appellant)].map(one => getAddress(one))
    const comes = random.pick([0.95, 0.95, 0.8, 0.5])
    const finds = random.pick([1, 1, 1, 0.1])
    const jury: ModelSeat[] = []
    for (const [position, key] of (await challenges.read.juryOf([round, peer.key])).entries()) {
      const account = accountOf(key)
      const deed = parties.includes(getAddress(account)) ? 'silent' : deedOf(truths, comes, finds)
      jury.push({ key, account, deed })
      if (deed === 'silent') continue
      const score = deed === 'sealed' ? 0 : deed
      const place = { round: Number(round), peerKey: peer.key, level, position, seatKey: key }
      const commitment = appealCommitment(at, place, score, salt)
      await challenges.write.commitVerdict([round, peer.key, position, key, commitment], { account })
      if (deed !== 'sealed') reveals.push([round, peer.key, position, score, salt])
    }
    model.appeals[level - 1] = { ...(model.appeals[level - 1] as ModelAppeal), jury }
  }
  await enter(opened + 2n)
  for (const reveal of reveals) await challenges.write.revealVerdict(reveal)
}

function deedOf(truths: readonly number[], comes: number, finds: number): SeatDeed {
  if (!random.chance(comes)) return random.pick(['silent', 'sealed'] as const)
  if (!random.chance(finds)) return UNAVAILABLE
  // Most seats of a case see the same.
  return scoreNear(random.chance(0.75) ? truths.slice(-1) : truths)
}

/** Closes a case and judges all its seats, in calls of random sizes. @returns the blame that was laid. */
async function closeAndJudge({ challenges, client }: Swarm, round: bigint, { peer, model }: Case) {
  const fromBlock = await client.getBlockNumber()
  const { key } = peer
  await challenges.write.closeAppeal([round, key])
  for (const [at, { jury }] of model.appeals.entries()) {
    const positions = random.shuffled(jury.map((_, position) => position))
    // Some twice: each is judged once.
    for (const part of [positions.slice(0, random.between(0, positions.length)), positions])
      await challenges.write.judgeSeats([round, key, at + 1, part])
  }
  const blames = await challenges.getEvents.SeatBlamed({ round, peerKey: key }, { fromBlock: fromBlock + 1n })
  return blames.map(({ args }) => `${args.level} ${args.seatKey} ${faults[args.fault ?? 0]}`)
}
