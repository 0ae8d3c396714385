import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger, silentLogger } from '#core/logger.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import type { AnswerScore, Judge } from '#environments/environment.ts'
import { openRolloutAudit } from '#roles/audit/auditRollouts.ts'
import type { RoundAudit } from '#roles/audit/auditRound.ts'
import { eachRound } from '#roles/audit/eachRound.ts'
import { runEvaluator } from '#roles/evaluator/evaluator.ts'
import { openJudge } from '#roles/models/openModels.ts'
import { openPeer } from '#roles/peerNode.ts'
import { type Call, changed, type FaultName, startHostileEndpoint } from './hostileEndpoint.ts'
import { type LivePeer, type LiveSwarm, patient, startLiveSwarm } from './liveSwarm.ts'

type Role = Awaited<ReturnType<LivePeer['start']>>

/** The rounds that are followed, and the first on which a seat votes falsely. */
const [FIRST, LAST, LIES_FROM] = [2, 7, 5]
/** Rounds until nothing more is settled. */
const SETTLED_AFTER = 4

let swarm: LiveSwarm
let solver: LivePeer
let stranger: LivePeer
let liar: LivePeer
let seats: Role[]
let proposer: Role
let running: Role
let lying: Awaited<ReturnType<typeof startLyingSeat>>
let bootnodes: string[]
const ended = new AbortController()

/** A seat whose judge halves all components and scores of answers, from when it is told to. */
async function startLyingSeat({ data }: LivePeer) {
  const environment = (await loadEnvironments()).starter
  const end = new AbortController()
  const lines: { message: string; round?: number }[] = []
  const write = (text: string) => void lines.push(JSON.parse(text))
  const node = await openPeer({
    follows: false,
    ...{
      data,
      rpcUrl: swarm.chain.rpcUrl,
      deployment: swarm.deployment,
      clock: swarm.clock,
      networkClock: swarm.clock,
    },
    network: { listen: ['/ip4/127.0.0.1/tcp/0'], bootnodes },
    ...{ environments: [environment], signal: end.signal, limits: patient },
    openLogger: () => createLogger({ write, format: 'json', level: 'info', clock: swarm.clock }),
  })
  const { judge, reader, close } = await openJudge(environment, { threads: 1, crashed: () => {}, slow: () => {} })
  let lies = false
  const halved = ({ components, score, correctness }: AnswerScore): AnswerScore => ({
    components: Object.fromEntries(Object.entries(components).map(([name, value]) => [name, value / 2])),
    ...{ score: score / 2, correctness: correctness / 2 },
  })
  const lyingJudge: Judge = {
    ...judge,
    score: async answers => (await judge.score(answers)).map(score => (lies ? halved(score) : score)),
  }
  const done = runEvaluator(node, { judge: lyingJudge, reader }, { demands: 0, maxAppeals: 0 })
  return {
    begin() {
      lies = true
    },
    said(message: string, { round }: { round: number }): Promise<void> {
      const isSaid = () => lines.some(line => line.message === message && line.round === round)
      return expect.poll(isSaid, { timeout: 120_000 }).toBe(true)
    },
    async stop() {
      end.abort()
      await done
      await close()
      await node.close()
    },
  }
}

/** Three seats, one of which lies later, a proposer and a solver; round 1 has begun. */
beforeAll(async () => {
  swarm = await startLiveSwarm({ pauseMs: 40 })
  const honest = [await swarm.newPeer('seat-1'), await swarm.newPeer('seat-2')]
  liar = await swarm.newPeer('liar')
  const proposing = await swarm.newPeer('proposer')
  solver = await swarm.newPeer('solver')
  stranger = await swarm.newPeer('stranger')
  await swarm.enter(0)
  seats = await Promise.all(honest.map(seat => seat.start('evaluator')))
  const started = await Promise.all(seats.map(seat => seat.said('started')))
  bootnodes = started.flatMap(({ addresses }) => addresses as string[])
  lying = await startLyingSeat(liar)
  for (const seat of [...honest, liar]) await swarm.admit(seat)
  proposer = await proposing.start('proposer')
  await proposer.said('secret committed', { round: 2 })
  await swarm.enter(1)
  running = await solver.start('solver')
  // The policy named in a round samples in the next one.
  await running.said('policy named', { round: FIRST })
}, 240_000)

afterAll(async () => {
  ended.abort()
  await lying?.stop()
  await swarm?.stop()
})

/** An audit over an endpoint, by the time of the swarm, with a folder that keeps nothing. */
const openAudit = async (rpcUrl: string) =>
  openRolloutAudit({
    ...{ deployment: swarm.deployment, rpcUrl, data: stranger.data, bootnodes, waitsOut: true, bases: {} },
    ...{ environments: [(await loadEnvironments()).starter], threads: 1, device: 'cpu' },
    ...{ clock: swarm.clock, logger: silentLogger, signal: ended.signal, limits: patient },
  })

/** Follows the rounds up to the last one. */
async function follow(audit: Awaited<ReturnType<typeof openAudit>>): Promise<RoundAudit[]> {
  const found: RoundAudit[] = []
  try {
    for await (const one of eachRound(audit, { first: FIRST, last: Number.POSITIVE_INFINITY }, null)) {
      found.push(one)
      if (one.round === LAST) break
    }
    return found
  } finally {
    await audit.close()
  }
}

const headOfTomorrow = changed((answers, calls) =>
  answers.map((answer, at) => {
    const { result } = answer
    if (calls[at]?.method !== 'eth_getBlockByNumber' || typeof result !== 'object' || result === null) return answer
    const { timestamp } = result as { timestamp: string }
    return { ...answer, result: { ...result, timestamp: `0x${(Number(timestamp) + 86_400).toString(16)}` } }
  }),
)

/** Waits until the solver's score of a round is on the chain: any of the seats, also the one that lies, may settle it. */
async function settled(round: number): Promise<void> {
  const filter = {
    ...swarm.contracts.rewardVotes,
    eventName: 'Settled',
    args: { round: BigInt(round) },
    fromBlock: 0n,
  } as const
  await expect.poll(() => swarm.chain.client.getContractEvents(filter), { timeout: 120_000 }).toHaveLength(1)
}

const isAny = () => true
const isRead = ({ method }: Call) => method === 'eth_getLogs' || method === 'eth_call'

/** One a round, in calls of a kind: while the audit waits, and then in its reads. */
const FAULTS: readonly (readonly [FaultName | typeof headOfTomorrow, (call: Call) => boolean])[] = [
  ['a closed connection', isAny],
  ['an empty body', isAny],
  ['another chain', isAny],
  [headOfTomorrow, isAny],
  ['no result', isRead],
  ['HTTP 500', isRead],
  ['a closed connection', isRead],
  ['0x', isRead],
  ['null', isRead],
]
/** Calls that meet a fault: after three odd answers the reader of the chain fails. */
const FAULTY_CALLS = 4

/** Plays the rounds that are followed until none can be settled any more. @returns the number of faults that were met to their end. */
async function play(endpoint: Awaited<ReturnType<typeof startHostileEndpoint>>): Promise<number> {
  let met = 0
  const isPlayed = (round: number) => round >= FIRST && round <= LAST
  const allSeats = (message: string, round: number) =>
    Promise.all([...seats, lying].map(seat => seat.said(message, { round })))
  for (let round = FIRST; round <= LAST + SETTLED_AFTER; round += 1) {
    if (isPlayed(round)) await proposer.said('tasks proposed', { round })
    if (round - 1 === LIES_FROM) lying.begin()
    const [fault, isFaulty] = FAULTS[round - FIRST] ?? [null, isAny]
    endpoint.fail(fault, isFaulty)
    await swarm.enter(round)
    // Not waited for: an audit that backs off does so by the time of the swarm, which passes ever slower until the next round.
    void endpoint.further(FAULTY_CALLS, isFaulty).then(() => {
      met += fault === null ? 0 : 1
      endpoint.fail(null)
    })
    if (isPlayed(round)) await running.said('rollouts committed', { round })
    if (isPlayed(round - 1)) await allSeats('votes committed', round - 1)
    if (isPlayed(round - 2)) await allSeats('votes revealed', round - 2)
    if (isPlayed(round - 3)) await settled(round - 3)
  }
  return met
}

/** A round of the honest solver, as an audit has to find it. */
function expected(round: number) {
  const difference = { leaf: expect.any(Number), component: expect.any(String) }
  const lie = { evaluatorKey: liar.peerKey, peerKey: solver.peerKey, difference: expect.objectContaining(difference) }
  const peer = { peerKey: solver.peerKey, verdict: 'agrees', reason: null }
  return {
    round,
    peers: [{ ...peer, sampling: { result: 'proven' } }],
    disagreements: round < LIES_FROM ? [] : [lie],
  }
}

test('an audit that follows confirms each score, also through faults of its endpoint, and names a false vote with leaf and component', {
  timeout: 600_000,
}, async () => {
  await using endpoint = await startHostileEndpoint(swarm.chain.rpcUrl)
  const audits = await Promise.all([swarm.chain.rpcUrl, endpoint.url].map(openAudit))
  const all = Promise.all(audits.map(follow))
  const met = await Promise.race([play(endpoint), all.then(() => 0)])
  expect(met).toBeGreaterThanOrEqual(FAULTS.length / 2)
  const rounds = Array.from({ length: LAST - FIRST + 1 }, (_, at) => FIRST + at)
  for (const found of await all) {
    expect(found).toMatchObject(rounds.map(expected))
    for (const { peers } of found) expect(peers[0]?.settledMilli).toBeGreaterThan(0)
    const lies = found.flatMap(({ disagreements }) => disagreements)
    for (const { voteMilli, derivedMilli, difference } of lies) {
      expect(voteMilli).toBeCloseTo(derivedMilli / 2, -1)
      expect(difference?.foundMilli).toBeCloseTo((difference?.expectedMilli ?? 0) / 2, 0)
    }
  }
})

test('a command that reads the same rounds ends with exit code 1 and names seat, peer, leaf and component', {
  timeout: 240_000,
}, async () => {
  const nodes = bootnodes.flatMap(address => ['--bootnode', address])
  const honest = await stranger.waggle('audit', '--round', `${FIRST}`, ...nodes)
  expect(honest).toMatchObject({ code: 0, said: expected(FIRST) })
  const lied = await stranger.waggle('audit', '--round', `${LIES_FROM}`, ...nodes)
  expect(lied).toMatchObject({ code: 1, said: expected(LIES_FROM) })
})
