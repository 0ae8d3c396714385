import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eachContract } from '@waggle/deployments/contractNames'
import type { PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { createMonitor, readCanary } from './monitor.ts'

/** Measurements of a gateway that gives this answer. */
async function readFrom(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const found = await readCanary(`http://127.0.0.1:${port}`)
  server.closeAllConnections()
  server.close()
  return found
}

test('measurements are grouped by round', async () => {
  const points = [
    { round: 5, passAt1: 0.4 },
    { round: 5, passAt1: 0.5 },
    { round: 10, passAt1: 0.6 },
  ]
  const found = await readFrom((_, response) => response.end(JSON.stringify({ points })))
  expect([...found]).toEqual([
    [5, [0.4, 0.5]],
    [10, [0.6]],
  ])
})

test('a gateway that is killed while it answers has measured nothing', async () => {
  const found = await readFrom((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"points":[', () => response.socket?.destroy())
  })
  expect(found.size).toBe(0)
})

test('a gateway that refuses has measured nothing', async () => {
  const found = await readFrom((_, response) => response.writeHead(503).end())
  expect(found.size).toBe(0)
})

/** A chain with a settled round 1, that may be away. */
function swarmChain() {
  const state = { isAway: false }
  const answer = async <T>(value: T): Promise<T> => {
    if (state.isAway) throw new Error('connection refused')
    return value
  }
  const [round, peerKey] = [1n, '0xaa']
  const events = [
    { eventName: 'RolloutsCommitted', args: { round, peerKey, leafCount: 8 } },
    { eventName: 'Settled', args: { round, peerKey, scoreMilli: 500, outcome: 1 } },
  ]
  let read = 0
  const client = {
    getBlock: () => answer({ number: 7n, hash: '0x7' }),
    // The events of all three contracts are in the answer of the first.
    getContractEvents: () => answer(read++ % 3 === 0 ? events : []),
    readContract: () => answer(20n),
  } as unknown as PublicClient
  const contracts = eachContract(() => ({ address: '0x1', startBlock: 1 }) as const)
  return { client, deployment: { network: 'test', chainId: 1, contracts }, state }
}

test('while the chain is away the rows of before stay, and after two minutes it is given up', async () => {
  const { state, ...chain } = swarmChain()
  let nowMs = 0
  const rest = { peers: [], gatewayUrl: 'http://127.0.0.1:1', firstRound: 0, nowMs: () => nowMs }
  const monitor = createMonitor({ ...chain, ...rest })
  const before = await monitor.refresh()
  expect(before.rows).toMatchObject([{ round: 1, rollouts: 8 }])
  state.isAway = true
  for (; nowMs < 120_000; nowMs += 30_000) expect(await monitor.refresh()).toEqual(before)
  await expect(monitor.refresh()).rejects.toThrow('connection refused')
  state.isAway = false
  expect(await monitor.refresh()).toEqual(before)
  // Another outage has its own two minutes.
  state.isAway = true
  expect(await monitor.refresh()).toEqual(before)
})
