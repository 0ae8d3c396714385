import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBestOfTwo } from './bestOfTwo.ts'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

type Role = Awaited<ReturnType<LivePeer['start']>>

let swarm: LiveSwarm
let solver: LivePeer
let cheating: LivePeer
let stranger: LivePeer
/** The roles that run from the first test on. */
let seats: Role[]
let proposer: Role
let first: LivePeer

/** Two seats, a proposer, and a solver that starts when a test says so; round 1 is about to begin. */
beforeAll(async () => {
  // Peers must keep up with each step of time on a busy machine: a proposer that misses a round has no tasks for the next.
  swarm = await startLiveSwarm({ pauseMs: 40 })
  first = await swarm.newPeer('seat-1')
  const [second, proposing] = [await swarm.newPeer('seat-2'), await swarm.newPeer('proposer')]
  solver = await swarm.newPeer('solver')
  cheating = await swarm.newPeer('cheating')
  stranger = await swarm.newPeer('stranger')
  await swarm.enter(0)
  seats = [await first.start('evaluator'), await second.start('evaluator')]
  for (const seat of [first, second]) await swarm.admit(seat)
  proposer = await proposing.start('proposer')
  await proposer.said('secret committed', { round: 2 })
  await swarm.enter(1)
}, 240_000)

afterAll(() => swarm?.stop())

const said = (message: string, round: number) => Promise.all(seats.map(seat => seat.said(message, { round })))
const pointsOf = ({ peerKey }: LivePeer) =>
  swarm.chain.client.readContract({ ...swarm.contracts.rewardVotes, functionName: 'points', args: [peerKey] })
/** Score of one round: the solver commits in others too, if it is fast enough. */
async function scoreOf({ peerKey }: LivePeer, round: number): Promise<number> {
  const call = { ...swarm.contracts.rewardVotes, functionName: 'outcomeOf', args: [BigInt(round), peerKey] } as const
  return (await swarm.chain.client.readContract(call))[1]
}
const creditOf = ({ address }: LivePeer) =>
  swarm.chain.client.readContract({ ...swarm.contracts.challenges, functionName: 'creditOf', args: [address] })
/** Enters a round whose tasks are there. */
async function enter(round: number): Promise<void> {
  await proposer.said('tasks proposed', { round })
  await swarm.enter(round)
}

test('a leaf that is demanded is shown by the solver that runs, and without it by an evaluator that kept it', {
  timeout: 240_000,
}, async () => {
  const running = await solver.start('solver')
  // The policy named in a round samples in the next one.
  await running.said('policy named', { round: 2 })
  const [bootnode] = await Promise.all(seats.map(seat => seat.said('started')))
  const cheat = await startBestOfTwo(swarm, cheating, bootnode?.addresses as string[])
  const { peerKey } = cheating
  const wait = { timeout: 60_000 }
  await expect.poll(async () => (await cheat.chain.readPolicies(2, [peerKey])).has(peerKey), wait).toBe(true)
  await enter(2)
  await running.said('rollouts committed', { round: 2 })
  const committed = () => cheat.chain.readRolloutCommitments(2)
  await expect.poll(committed, wait).toContainEqual(expect.objectContaining({ peerKey }))
  await enter(3)
  await said('sampling is not proven', 2)
  await said('votes committed', 2)
  await cheat.stop()
  await enter(4)
  await said('votes revealed', 2)

  const demand = (place: string) =>
    stranger.waggle('challenge', 'demand', solver.peerId, '--round', '2', '--place', place)
  expect(await demand('0')).toMatchObject({ code: 0, stderr: '', said: { round: 2, place: 0 } })
  await running.said('leaf shown', { round: 2 })
  const { said: listed } = await stranger.waggle('challenge', 'list')
  expect(listed).toMatchObject({ demands: [{ peerKey: solver.peerKey, state: 'shown' }], appeals: [] })
  // It is owed what the answer cost, from the bond.
  expect(await creditOf(solver)).toBeGreaterThan(0n)
  await running.stop()
  expect(await demand('1')).toMatchObject({ code: 0, stderr: '' })
  const early = await stranger.waggle('challenge', 'close')
  expect(early.said).toEqual({ closed: [], judged: [] })

  await enter(5)
  await Promise.race(seats.map(seat => seat.said('shard settled', { round: 2 })))
  const settled = await scoreOf(solver, 2)
  expect(settled).toBeGreaterThan(0)
  // The better of two answers is worth nothing, whatever the judge says of it.
  expect(await scoreOf(cheating, 2)).toBe(0)
  // Its folder keeps what it committed, and the tasks that that answers.
  const audited = await solver.waggle('audit', '--round', '2')
  const score = {
    peerKey: solver.peerKey,
    settledMilli: settled,
    derivedMilli: settled,
    sampling: expect.objectContaining({ result: 'proven' }),
  }
  expect(audited).toMatchObject({ code: 0, stderr: '', said: { disagreements: [] } })
  expect(audited.said.peers).toContainEqual(expect.objectContaining(score))
  const sampling = expect.objectContaining({ result: 'refuted' })
  const cheated = expect.objectContaining({ peerKey, settledMilli: 0, derivedMilli: 0, sampling })
  // Its folder keeps nothing: all is fetched from those that keep it.
  const at = String(bootnode?.addresses)
  const derived = await stranger.waggle('audit', '--round', '2', '--bootnode', at)
  expect(derived.said.peers).toContainEqual(expect.objectContaining(score))
  expect(derived.said).toMatchObject({ peers: expect.arrayContaining([cheated]), disagreements: [] })
  const shown = await Promise.race(seats.map(seat => seat.said('leaf shown', { round: 2 }).then(() => seat)))
  expect(seats).toContain(shown)
  await enter(6)
  expect((await stranger.waggle('challenge', 'close')).said).toEqual({ closed: [], judged: [] })
  expect(await scoreOf(solver, 2)).toBe(settled)
  const owed = await creditOf(solver)
  expect((await solver.waggle('challenge', 'withdraw')).said).toMatchObject({ amountWei: `${owed}` })
  expect(await creditOf(solver)).toBe(0n)
})

test('a solver that could not be reached appeals automatically: the seats judge its bundle again, and its bond is returned', {
  timeout: 240_000,
}, async () => {
  const away = await solver.start('solver')
  await away.said('rollouts committed', { round: 6 })
  await away.stop()
  await enter(7)
  await said('votes committed', 6)
  await enter(8)
  await said('votes revealed', 6)
  await enter(9)
  await Promise.race(seats.map(seat => seat.said('shard settled', { round: 6 })))
  expect(await scoreOf(solver, 6)).toBe(0)

  const back = await solver.start('solver', { appeals: 1 })
  const appealed = await back.said('score appealed', { round: 6, peerKey: solver.peerKey, settledMilli: 0 })
  await enter(10)
  await said('verdict sealed', 6)
  await enter(11)
  await said('verdict opened', 6)
  await enter(12)
  await Promise.race(seats.map(seat => seat.said('case closed', { round: 6 })))
  await Promise.race(seats.map(seat => seat.said('seats judged', { round: 6 })))
  expect(await scoreOf(solver, 6)).toBeGreaterThan(0)
  // Half of the bond pays the two seats.
  const back6 = { round: 6, finalMilli: appealed.foundMilli, back: String(Number(appealed.bond) / 2) }
  await back.said('appeal upheld', back6)
  await back.said('bond taken back', { round: 6 })
  expect(await creditOf(solver)).toBe(0n)
  await back.stop()
})

test('an evaluator that may demand asks for what it cannot have, and closes what nobody answers', {
  timeout: 240_000,
}, async () => {
  await seats[0]?.stop()
  const demanding = await first.start('evaluator', { demands: 1 })
  seats[0] = demanding
  // Before its round: what starts in it on a busy machine may come too late to answer.
  const away = await solver.start('solver')
  await enter(13)
  await away.said('rollouts committed', { round: 13 })
  await away.stop()
  await enter(14)
  await said('votes committed', 13)
  await demanding.said('leaf demanded', { round: 13 })
  await enter(15)
  await said('votes revealed', 13)
  await enter(16)
  await demanding.said('demand closed: the leaf was withheld', { round: 13 })
  const { said: listed } = await stranger.waggle('challenge', 'list')
  const [demand] = listed.demands.filter((one: { round: number }) => one.round === 13)
  expect(demand).toMatchObject({ peerKey: solver.peerKey, state: 'withheld', challenger: first.address })
  // At least the bond: earlier credit may be withdrawn. More where it demanded a leaf of round 12 too, which the solver shows on its return.
  expect(await creditOf(first)).toBeGreaterThanOrEqual(BigInt(demand.bondWei))
  expect(await scoreOf(solver, 13)).toBe(0)
  // After a withheld leaf, an appeal and another withheld leaf.
  const all = await stranger.waggle('audit')
  expect(all).toMatchObject({ code: 0, stderr: '', said: { findings: [] } })
  const points = { peerKey: solver.peerKey, pointsMilli: Number(await pointsOf(solver)) }
  expect(all.said.peers).toContainEqual(expect.objectContaining(points))
})
