import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import { openIdentity } from '#store/identity.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { registerPeers } from '../../scripts/swarm/registerPeers.ts'
import { startCli } from './cliProcess.ts'
import { type Call, type FaultName, faultNames, KEY, startHostileEndpoint } from './hostileEndpoint.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const ROLES = ['gateway', 'solver', 'evaluator', 'proposer'] as const
/** An idle peer has 280 MiB, and a fault adds up to as much. */
const MAX_MIB = 1_024
/** Requests a second on average: a role that resumes reads what it missed. */
const MAX_RATE = 10
/** Requests more than that in the seconds of one fault. */
const BURST = 60
/** A request in flight takes up to 10 s, and the next check is up to 8 s later. */
const BACK_MS = 30_000
/** Of a peer that ends while its endpoint is silent. */
const END_MS = 8_000
const ROUND_SEC = 40
/** Time from the start of a round in which the solver has no endpoint. */
const OUT_SEC = 6
/** Of those that a working solver meets: the outbox has rules of its own for reverts. */
const WHILE_WORKING: readonly FaultName[] = ['a closed connection', 'a revert without data']

type Peer = {
  role: string
  endpoint: Awaited<ReturnType<typeof startHostileEndpoint>>
  process: ReturnType<typeof startCli>
}

let local: LocalChain
let gatewayPort: number
/** Chain time at which round 0 started. */
let startsAtSec: number
const peers: Peer[] = []

beforeAll(async () => {
  local = await startLocalChain({ blockTimeSec: 1 })
  const deployment = await deployContracts(local, ROUND_SEC, (await loadEnvironments()).starter.hash)
  const { rounds } = contractsOf(deployment)
  startsAtSec = Number(await local.client.readContract({ ...rounds, functionName: 'startOf', args: [0n] }))
  const root = mkdtempSync(join(tmpdir(), 'waggle-hostile-'))
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  gatewayPort = await freePort()
  for (const role of ROLES) {
    const data = join(root, role)
    const identity = await openIdentity(data)
    await local.fund(identity.address)
    await registerPeers(local.rpcUrl, deployment, [identity])
    const endpoint = await startHostileEndpoint(local.rpcUrl)
    const options = role === 'gateway' ? ['--http', String(gatewayPort)] : []
    const flags = ['--data', data, '--deployment', record, '--listen', '/ip4/127.0.0.1/tcp/0', '--log-level', 'debug']
    const process = startCli(['start', '--role', role, ...flags, ...options], { WAGGLE_RPC_URL: endpoint.url })
    peers.push({ role, endpoint, process })
  }
  await all('it started', ({ process }) => process.said('started'))
})

afterAll(async () => {
  await Promise.all(peers.map(({ process }) => process.kill()))
  for (const { endpoint } of peers) endpoint.close()
  await local.stop()
})

/** Waits for a role. @throws if it ends, or waits longer. */
function within({ role, process }: Peer, what: string, ms: number, event: Promise<unknown>): Promise<unknown> {
  const ended = process.exited.then(({ code, stderr }) => {
    throw new Error(`the ${role} ended with ${code} before ${what}: ${stderr.slice(-500)}`)
  })
  const late = AbortSignal.timeout(ms)
  const stalled = new Promise((_, reject) =>
    late.addEventListener('abort', () => reject(new Error(`the ${role} stalled before ${what}`))),
  )
  return Promise.race([event, ended, stalled])
}

const all = (what: string, event: (peer: Peer) => Promise<unknown>) =>
  Promise.all(peers.map(peer => within(peer, what, BACK_MS, event(peer))))

function residentMib(pid: number | undefined): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1_024
}

/** A read of the newest block by which a role follows the chain, not by which it checks the endpoint. */
const isFollowing = ({ method, params }: Call, calls: readonly Call[]) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest' && !calls.some(call => call.method === 'eth_chainId')

const sinceMs = performance.now()

test('through every fault no role ends, stalls, spins or grows, and each follows the chain after it', async () => {
  for (const fault of faultNames) {
    const [beganMs, before] = [performance.now(), peers.map(({ endpoint }) => endpoint.requests())]
    for (const { endpoint } of peers) endpoint.fail(fault)
    await all(`a call met ${fault}`, ({ endpoint }) => endpoint.further(1))
    for (const { endpoint } of peers) endpoint.fail(null)
    await all(`it followed the chain after ${fault}`, ({ endpoint }) => endpoint.further(1, isFollowing))
    expect((await fetch(`http://127.0.0.1:${gatewayPort}/v1/status`)).status, fault).toBe(200)
    const allowed = BURST + (MAX_RATE * (performance.now() - beganMs)) / 1_000
    for (const [at, { role, process, endpoint }] of peers.entries()) {
      expect(residentMib(process.pid), `${role} after ${fault}`).toBeLessThan(MAX_MIB)
      expect(endpoint.requests() - (before[at] ?? 0), `${role} at ${fault}`).toBeLessThan(allowed)
    }
  }
})

/** Resolves with the first block at or after a moment of chain time. */
const reached = (timeSec: number) =>
  new Promise<void>(resolve => {
    const stop = local.client.watchBlocks({
      pollingInterval: 200,
      onBlock({ timestamp }) {
        if (Number(timestamp) < timeSec) return
        stop()
        resolve()
      },
    })
  })

test.each(WHILE_WORKING)('a solver without an endpoint from the start of a round on commits in it: %s', async fault => {
  const solver = peers.find(({ role }) => role === 'solver') as Peer
  const { timestamp } = await local.client.getBlock()
  // Keys count from round 2 on.
  const round = Math.max(2, Math.floor((Number(timestamp) - startsAtSec) / ROUND_SEC) + 1)
  const startSec = startsAtSec + round * ROUND_SEC
  await reached(startSec)
  solver.endpoint.fail(fault)
  await reached(startSec + OUT_SEC)
  solver.endpoint.fail(null)
  const committed = solver.process.line('rollouts committed', `round=${round}`)
  await within(solver, `it committed in round ${round}`, ROUND_SEC * 1_000, committed)
})

test('no role has spun, each ends within seconds while its endpoint is silent, and has said no key', async () => {
  const seconds = (performance.now() - sinceMs) / 1_000
  for (const { role, endpoint } of peers) expect(endpoint.requests() / seconds, role).toBeLessThan(MAX_RATE)
  for (const { endpoint } of peers) endpoint.fail('silence')
  await all('a call met silence', ({ endpoint }) => endpoint.further(1))
  for (const { role, process } of peers) {
    const stoppedMs = performance.now()
    const { code, stdout, stderr } = await process.stop()
    expect(code, role).toBe(0)
    expect(performance.now() - stoppedMs, role).toBeLessThan(END_MS)
    expect(`${stdout}${stderr}`, role).not.toContain(KEY)
  }
})
