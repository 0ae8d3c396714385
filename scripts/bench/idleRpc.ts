import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { zeroAddress } from 'viem'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import { openIdentity } from '../../node/src/store/identity.ts'
import { deployContracts, startLocalChain } from '../../node/test/localChain.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'

const cli = join(import.meta.dirname, '../../node/src/cli/main.ts')

type IdlePeer = { blockSec: number; roundSec: number; rounds: number }

/** Rounds of the chain before those measured: a key counts from its second round, and duties reach three rounds back. */
const ROUNDS_BEFORE = 5
/** Before the round in which the peer warms up. */
const STARTING_SEC = 60

/** Calls of an evaluator with nothing to score. It is alone, so that it fixes and records every beacon itself. */
export function idleRpcRow(name: string, bar: number, peer: IdlePeer): BenchRow {
  return { name, unit: 'calls/s', bar, better: 'less', measure: bench => measure(bench, peer) }
}

async function measure(bench: Bench, { blockSec, roundSec, rounds }: IdlePeer): Promise<Measured> {
  const root = mkdtempSync(join(tmpdir(), 'waggle-idle-'))
  // The chain lags, so that it can be put forward after the registration: a peer refuses blocks of the future.
  const chain = await startLocalChain({ timeSec: Math.floor(Date.now() / 1000) - ROUNDS_BEFORE * roundSec })
  const proxy = await countingProxy(chain.rpcUrl)
  let peer: ChildProcess | undefined
  try {
    const { starter } = await loadEnvironments()
    const deployment = await deployContracts(chain, roundSec, starter.hash)
    const [data, record] = [join(root, 'peer'), join(root, 'deployment.json')]
    writeFileSync(record, JSON.stringify(deployment))
    const { address, peerKey } = await openIdentity(data)
    await chain.fund(address)
    const { rewardVotes, peerRegistry, rounds: schedule } = contractsOf(deployment)
    const admit = { ...rewardVotes, functionName: 'admitEvaluator', args: [peerKey] } as const
    await chain.mined(chain.client.writeContract({ ...admit, account: chain.admin, chain: null }))
    const argv = ['start', '--role', 'evaluator', '--data', data, '--deployment', record, '--rpc', proxy.url]
    const start = () => spawn(process.execPath, [cli, ...argv, '--listen', '/ip4/127.0.0.1/tcp/0'], { stdio: 'ignore' })
    peer = start()
    const account = { ...peerRegistry, functionName: 'accountOf', args: [peerKey] } as const
    while ((await chain.client.readContract(account)) === zeroAddress) await sleep(500)
    await end(peer)
    const warmUpAt = await chain.client.readContract({
      ...schedule,
      functionName: 'startOf',
      args: [BigInt(ROUNDS_BEFORE)],
    })
    await chain.travelTo(Number(warmUpAt) - STARTING_SEC)
    await chain.client.setAutomine(false)
    await chain.client.setIntervalMining({ interval: blockSec })
    peer = start()
    bench.log(`half a round of ${roundSec} s to warm up, then ${rounds} measured`)
    await sleep((STARTING_SEC + roundSec / 2) * 1000)
    const before = proxy.counts()
    const begunMs = performance.now()
    await sleep(rounds * roundSec * 1000)
    const seconds = (performance.now() - begunMs) / 1000
    const after = proxy.counts()
    if (peer.exitCode !== null) throw new Error(`the evaluator ended with ${peer.exitCode}`)
    const requests = (after.requests - before.requests) / seconds
    const methods = Object.entries(after.methods)
      .map(([method, count]) => [method, count - (before.methods[method] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([method, count]) => `${method} ${count}`)
    const conditions = `JSON-RPC calls, in ${requests.toFixed(2)} HTTP requests a second; blocks of ${blockSec} s, rounds measured: ${rounds} of ${roundSec} s; ${methods.join(', ')}`
    return { value: (after.calls - before.calls) / seconds, conditions }
  } finally {
    if (peer !== undefined) await end(peer)
    proxy.close()
    await chain.stop()
    rmSync(root, { recursive: true, force: true })
  }
}

async function end(peer: ChildProcess): Promise<void> {
  if (peer.exitCode !== null || peer.signalCode !== null) return
  peer.kill('SIGTERM')
  await once(peer, 'exit')
}

/** Hands everything on to a chain, and counts what it was asked. */
async function countingProxy(target: string) {
  const counts = { requests: 0, calls: 0, methods: {} as Record<string, number> }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const calls = [JSON.parse(body)].flat() as { method: string }[]
    counts.requests += 1
    counts.calls += calls.length
    for (const { method } of calls) counts.methods[method] = (counts.methods[method] ?? 0) + 1
    const answer = await fetch(target, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => structuredClone(counts),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
