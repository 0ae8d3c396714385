import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestIndexer } from '../../indexer/test/testIndexer.ts'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

type Role = Awaited<ReturnType<LivePeer['start']>>

/** A first bench has 11 seats: with 12, an appeal of its verdict goes to more. */
const SEATS = 12
/** Those that run at first: one too few for the quorum of a first bench. The others' places are drawn, and stay silent. */
const EARLY = 5
/** Those that run in the end: enough for the quorum of all. */
const RUNNING = 7

let swarm: LiveSwarm
let indexer: TestIndexer
let solver: LivePeer
const seated: LivePeer[] = []
const seats: Role[] = []

beforeAll(async () => {
  // Every step of time has each of nine peers say where it is, and check what the others say.
  swarm = await startLiveSwarm({ roundSeconds: 1_000, pauseMs: 300 })
  const { record: recordPath, chain } = swarm
  indexer = await TestIndexer.spawn({ recordPath, url: chain.rpcUrl }, mkdtempSync(join(tmpdir(), 'waggle-appeals-')))
  for (let seat = 0; seat < SEATS; seat++) {
    const peer = await swarm.newPeer(`seat-${seat}`)
    await swarm.admit(peer)
    seated.push(peer)
  }
  solver = await swarm.newPeer('solver')
  const proposing = await swarm.newPeer('proposer')
  await swarm.enter(0)
  for (const peer of seated.slice(0, EARLY)) seats.push(await peer.start('evaluator'))
  const proposer = await proposing.start('proposer')
  await proposer.said('secret committed', { round: 2 })
  await swarm.enter(1)
  await proposer.said('tasks proposed', { round: 2 })
}, 600_000)

afterAll(async () => {
  await TestIndexer.endAll()
  await swarm?.stop()
})

/** Messages of all seats that run. */
const said = (message: string, fields: Record<string, unknown>) =>
  Promise.all(seats.map(seat => seat.said(message, fields)))

/** Waits for the first bench's verdicts: one of those that run may not have been drawn. */
async function firstBench(eventName: 'VerdictCommitted' | 'VerdictRevealed'): Promise<void> {
  const events = { ...swarm.contracts.challenges, eventName, fromBlock: 0n } as const
  const count = async () => (await swarm.chain.client.getContractEvents(events)).length
  await expect.poll(count, { timeout: 120_000 }).toBeGreaterThanOrEqual(EARLY - 1)
}

test('an appeal that too few seats judged goes to all of them, whose verdict stands on the chain and in GraphQL', {
  timeout: 600_000,
}, async () => {
  const round = 2
  const away = await solver.start('solver')
  await away.said('policy named', { round })
  await swarm.enter(round)
  await away.said('rollouts committed', { round })
  await away.stop()
  for (const next of [3, 4, 5]) await swarm.enter(next)
  await Promise.race(seats.map(seat => seat.said('shard settled', { round })))
  const back = await solver.start('solver')
  const appeal = () => solver.waggle('appeal', solver.peerId, '--round', String(round))
  const first = await appeal()
  expect(first).toMatchObject({ code: 0, stderr: '', said: { round, level: 1 } })
  await swarm.enter(6)
  await firstBench('VerdictCommitted')
  await swarm.enter(7)
  await firstBench('VerdictRevealed')

  await swarm.enter(8)
  for (const peer of seated.slice(EARLY, RUNNING)) seats.push(await peer.start('evaluator'))
  const second = await appeal()
  expect(second).toMatchObject({ code: 0, stderr: '', said: { round, level: 2 } })
  expect(BigInt(second.said.bondWei)).toBe(2n * BigInt(first.said.bondWei))
  await swarm.enter(9)
  await said('verdict sealed', { round, appeal: 2 })
  await swarm.enter(10)
  await said('verdict opened', { round, appeal: 2 })
  await swarm.enter(11)
  await Promise.race(seats.map(seat => seat.said('case closed', { round })))

  const args = [BigInt(round), solver.peerKey] as const
  const { rewardVotes, challenges } = swarm.contracts
  const [outcome, scoreMilli] = await swarm.chain.client.readContract({
    ...{ ...rewardVotes, functionName: 'outcomeOf', args },
  })
  expect({ outcome, scored: scoreMilli > 0 }).toEqual({ outcome: 1, scored: true })
  // Half of each bond pays the seats; what can't be divided is less than there are.
  const bonds = BigInt(first.said.bondWei) + BigInt(second.said.bondWei)
  const credit = { ...challenges, functionName: 'creditOf', args: [solver.address] } as const
  const owed = await swarm.chain.client.readContract(credit)
  expect(owed - bonds / 2n).toBeGreaterThanOrEqual(0n)
  expect(owed - bonds / 2n).toBeLessThan(BigInt(2 * SEATS))

  await indexer.reachTip({ blockNumber: async () => Number(await swarm.chain.client.getBlockNumber()) })
  const key = `round: ${round}, peerKey: "${solver.peerKey}"`
  const told = await indexer.query(`{
    settlement(${key}) { outcome scoreMilli openChallenges }
    appealCase(${key}) { settledMilli finalMilli isClosed isMoot appeals(orderBy: "level") { items { level drawn } } }
  }`)
  const juries = [
    { level: 1, drawn: SEATS - 1 },
    { level: 2, drawn: SEATS },
  ]
  expect(told).toEqual({
    settlement: { outcome: 'scored', scoreMilli, openChallenges: 0 },
    appealCase: {
      ...{ settledMilli: 0, finalMilli: scoreMilli, isClosed: true, isMoot: false, appeals: { items: juries } },
    },
  })
  const audited = await solver.waggle('audit', '--index', indexer.url)
  // Rounds that it played since add to its points: contract, index and votes agree on them.
  expect(audited).toMatchObject({ code: 0, stderr: '', said: { findings: [], peers: [{ peerKey: solver.peerKey }] } })
  await back.stop()
})
