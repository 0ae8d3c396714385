import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { predictionMarketAbi, rewardVotesAbi, rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import { type Deployment, readDeployment } from '@waggle/deployments/record'
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest'
import { readReports } from '../node/src/cli/status/readReports.ts'
import { payloadsHere, type RolloutBundle } from '../node/src/core/payloads/payloads.ts'
import { JOURNAL_FILE } from '../node/src/store/openDatabase.ts'
import { type ChainFacts, connect, followChainFacts } from './swarm/chainFacts.ts'
import { freeSwarmPorts, type Ports } from './swarm/ports.ts'

const root = join(import.meta.dirname, '..')
/** Build of the dashboard's own tests, which run before these: one build serves both. */
const TEST_BUILD = 'test/.next'
const ROUNDS = 2
const SOLVERS = ['solver-1', 'solver-2', 'solver-3']

let data: string
let swarm: ChildProcess
let progress = ''
let report = ''
let ports: Ports

/** Resolves when the swarm's progress says it; fails with what it said if it ends first. */
async function says(pattern: RegExp): Promise<void> {
  while (!pattern.test(progress)) {
    if (swarm.exitCode !== null) throw new Error(`the swarm ended (${swarm.exitCode}):\n${progress}`)
    await sleep(200)
  }
}

/** Processes whose command line names the run's folder, or the port of its chain. */
function processesOfRun(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(pid => {
      try {
        return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
      } catch {
        return ''
      }
    })
    .filter(line => line.includes(data) || line.includes(`--port ${ports.dashboard + 2} `))
}

const pidOf = (slot: string) => Number(readFileSync(join(data, 'peers', slot, 'node.pid'), 'utf8'))

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'waggle-swarm-'))
  ports = await freeSwarmPorts()
  const argv = ['scripts/swarm.ts', '--data', data, '--port', `${ports.dashboard}`, '--chain-port', `${ports.chain}`]
  argv.push('--rounds', `${ROUNDS}`, '--held-out', '20', '--json')
  const env = { ...process.env, WAGGLE_DASHBOARD_BUILD: TEST_BUILD }
  swarm = spawn(process.execPath, argv, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  swarm.stderr?.on('data', chunk => {
    progress += chunk
  })
  swarm.stdout?.on('data', chunk => {
    report += chunk
  })
})

afterAll(async () => {
  // A swarm that is killed leaves its peers.
  if (swarm.exitCode === null) {
    swarm.kill('SIGINT')
    await new Promise(resolve => swarm.once('close', resolve))
  }
  await rm(data, { recursive: true, force: true })
})

test('a whole swarm learns and settles through kills, agrees with itself, and leaves no process', async () => {
  onTestFailed(() => console.error(progress))
  await says(/ready after/)
  const readySec = Date.now() / 1000
  const url = `http://127.0.0.1:${ports.dashboard}`
  expect((await fetch(url)).status).toBe(200)

  // In mid-round, without warning: one of each kind, and the indexer.
  await says(/\n +\d+ +24/)
  for (const slot of ['solver-1', 'evaluator-1', 'proposer', 'gateway']) process.kill(pidOf(slot), 'SIGKILL')
  const indexer = processesOfRun().find(line => line.includes('indexer/start.ts'))
  process.kill(Number(indexer?.split(' ')[0]), 'SIGKILL')
  await says(/indexer ended \(SIGKILL\); starting it again/)
  await says(/pass@1 [\d.]+ → [\d.]+/)

  const deployment = readDeployment(join(data, 'deployment.json'))
  const read = followChainFacts(connect(`http://127.0.0.1:${ports.chain}`), deployment)
  const facts = await eachSolverHasWorked(read)
  expect(facts.rounds.filter(({ settled }) => settled > 0).length).toBeGreaterThanOrEqual(ROUNDS)
  await indexAgrees(facts.pointsOf)
  const events = await protocolEvents(deployment)
  expect(events.filter((event, at) => events.indexOf(event) !== at)).toEqual([])
  const settledRound = facts.rounds.findLast(({ settled }) => settled > 0)?.round ?? -1
  await bundleIsCommitted(events, settledRound)
  await gamesAlwaysRun(deployment, readySec)
  await answersAreTested(`${url}/v1/rounds/${settledRound}`)

  swarm.kill('SIGINT')
  expect(await new Promise(resolve => swarm.once('close', resolve))).toBe(0)
  expect(processesOfRun()).toEqual([])
  expect(existsSync(join(data, 'swarm.pid'))).toBe(false)

  const { rounds, peers, heldOut, peakPssMb } = JSON.parse(report.trimEnd().split('\n').at(-1) ?? '')
  expect(rounds.length).toBeGreaterThanOrEqual(ROUNDS)
  const ofSolvers = peers.filter(({ role }: { role: string }) => role === 'solver')
  expect(ofSolvers).toHaveLength(SOLVERS.length)
  for (const { points } of ofSolvers) expect(points).toBeGreaterThan(0)
  expect(heldOut.solvers).toHaveLength(3)
  expect(peakPssMb).toBeGreaterThan(0)
})

/**
 * Resolves once each solver has earned points and learned from others' answers; fails if the swarm ends first. On a busy
 * machine an evaluator may miss a round, and a killed solver one more: then it takes more rounds than the run's.
 */
async function eachSolverHasWorked(read: () => Promise<ChainFacts>): Promise<ChainFacts> {
  const hasLearned = (slot: string) =>
    readReports(join(data, 'peers', slot, JOURNAL_FILE)).some(({ taken }) => Number(taken) > 0)
  for (;;) {
    const facts = await read()
    const paid = [...facts.pointsOf.values()].filter(points => points > 0)
    if (paid.length >= SOLVERS.length && SOLVERS.every(hasLearned)) return facts
    if (swarm.exitCode !== null) throw new Error(`the swarm ended (${swarm.exitCode}):\n${progress}`)
    await sleep(1_000)
  }
}

/** Every step that a peer may take once in a round: a transaction that was sent twice would show as one of them twice. */
async function protocolEvents(deployment: Deployment): Promise<string[]> {
  const { RolloutCommitments, RewardVotes } = deployment.contracts
  const client = connect(`http://127.0.0.1:${ports.chain}`)
  const range = { fromBlock: BigInt(RolloutCommitments.startBlock), strict: true } as const
  const [work, votes] = await Promise.all([
    client.getContractEvents({ ...range, address: RolloutCommitments.address, abi: rolloutCommitmentsAbi }),
    client.getContractEvents({ ...range, address: RewardVotes.address, abi: rewardVotesAbi }),
  ])
  return [...work, ...votes].flatMap(({ eventName, args }) => {
    // A busy machine's evaluator may miss its vote and its opening of one round: that is nobody's transaction.
    if (!('round' in args) || 'meanWeight' in args || eventName === 'EvaluatorMissed') return []
    // A late solver names one policy to continue with, and a newer one once it has learned.
    const named = eventName === 'PolicyCommitted' ? args.policyHash : ''
    return [`${eventName} ${args.round} ${'peerKey' in args ? args.peerKey : args.evaluatorKey} ${named}`]
  })
}

/** A game takes bets within a minute, and each next one is there before the last bets of the one before. */
async function gamesAlwaysRun({ contracts }: Deployment, readySec: number): Promise<void> {
  const { address, startBlock } = contracts.PredictionMarket
  const client = connect(`http://127.0.0.1:${ports.chain}`)
  const range = { address, abi: predictionMarketAbi, fromBlock: BigInt(startBlock), strict: true } as const
  const created = await client.getContractEvents({ ...range, eventName: 'GameCreated' })
  const games = await Promise.all(
    created.map(async ({ args: { config }, blockNumber }) => {
      const { timestamp } = await client.getBlock({ blockNumber })
      const { startsAtSec, roundCount, bettingSec, revealSec } = config
      const lastBetSec = startsAtSec + roundCount * (bettingSec + revealSec) - revealSec
      return { openedSec: Number(timestamp), startsAtSec, lastBetSec }
    }),
  )
  expect(games[0]?.startsAtSec).toBeLessThan(readySec + 60)
  for (const [at, { openedSec }] of games.entries())
    if (at > 0) expect(openedSec).toBeLessThan(games[at - 1]?.lastBetSec ?? 0)
  expect(games.at(-1)?.lastBetSec).toBeGreaterThan(Number((await client.getBlock()).timestamp))
}

/** A gateway runs what a reader opens: each answer of a solver to a task, with the tests that its proposer wrote. */
async function answersAreTested(roundUrl: string): Promise<void> {
  type Numbered = { index: number }
  const { groups } = (await (await fetch(roundUrl)).json()) as {
    groups: [{ taskHash: string; peerKey: string; rollouts: Numbered[] }]
  }
  const { taskHash, peerKey, rollouts } = groups[0]
  // A gateway that is busy asks to come back.
  const ask = async () => {
    const response = await fetch(`${roundUrl}/tests/${taskHash}/${peerKey}`)
    const said = await response.text()
    expect(response.status, said).toBe(200)
    return JSON.parse(said) as { tests: string[]; answers: (Numbered & { verdicts: (string | null)[] })[] }
  }
  const { tests, answers } = await vi.waitFor(ask, { timeout: 60_000, interval: 1_000 })
  expect(tests[0]).toMatch(/^assert /)
  const indexOf = ({ index }: Numbered) => index
  expect(answers.map(indexOf)).toEqual(rollouts.map(indexOf))
  const verdicts = answers.flatMap(({ verdicts }) => verdicts)
  expect(verdicts).toHaveLength(tests.length * rollouts.length)
  // Of eight answers some at least are code.
  expect(verdicts.filter(verdict => verdict !== null)).not.toEqual([])
}

/** A solver's committed bundle comes from the network as a file and matches the chain, until a byte of it is changed. */
async function bundleIsCommitted(events: readonly string[], round: number): Promise<void> {
  const committed = events.find(event => event.startsWith(`RolloutsCommitted ${round} `))
  const peer = committed?.split(' ')[2] ?? ''
  const file = join(data, 'rollouts.bin')
  // A folder without a payload: all comes from the network.
  const flags = ['--rpc', `http://127.0.0.1:${ports.chain}`, '--deployment', join(data, 'deployment.json'), '--json']
  const bundle = async (...argv: string[]) => {
    const whole = ['node/src/cli/main.ts', 'bundle', ...argv, ...flags, '--data', join(data, 'nobody')]
    const child = spawn(process.execPath, whole, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    return { code, said: JSON.parse(out) }
  }
  expect(await bundle('get', file, '--round', `${round}`, '--peer', peer)).toMatchObject({ code: 0, said: { round } })
  expect(await bundle('verify', file)).toMatchObject({ code: 0, said: { peerKey: peer, findings: [] } })
  const { payload } = (await payloadsHere.open('rollouts', readFileSync(file))) ?? {}
  const other = payload && { ...payload, policyHash: `0x${'00'.repeat(32)}` as const }
  await writeFile(file, (await payloadsHere.seal('rollouts', other as RolloutBundle)).bytes)
  const findings = [expect.stringContaining('root'), expect.stringContaining('content')]
  expect(await bundle('verify', file)).toMatchObject({ code: 1, said: { findings } })
}

/** The index, built through a kill, says of every peer's points what the chain's events say. */
async function indexAgrees(pointsOf: Map<string, number>): Promise<void> {
  for (;;) {
    const indexed = await readIndex().catch(() => new Map<string, number>())
    const behind = [...pointsOf].filter(([peerKey, points]) => (indexed.get(peerKey) ?? -1) < points)
    if (behind.length === 0) return
    if (swarm.exitCode !== null) throw new Error(`the swarm ended (${swarm.exitCode}):\n${progress}`)
    await sleep(300)
  }
}

/** Points by peer. */
async function readIndex(): Promise<Map<string, number>> {
  const query = '{ peers(limit: 100) { items { peerKey pointsMilli } } }'
  const response = await fetch(`http://127.0.0.1:${ports.dashboard + 2}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data: found } = (await response.json()) as {
    data: { peers: { items: { peerKey: string; pointsMilli: string }[] } }
  }
  return new Map(found.peers.items.map(({ peerKey, pointsMilli }) => [peerKey, Number(pointsMilli)]))
}
