import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstBlock } from '@waggle/deployments/record'
import { numberToHex, parseGwei } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { openChain } from '#chain/openChain.ts'
import { createManualClock, systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { environmentHash } from '#environments/environmentSpec.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

type Call = { id: number; method: string; params: unknown[] }
type Answer = { id: number; result?: unknown; error?: unknown }
/** The false answer to a call, of an honest one; null leaves it. */
type Lie = (call: Call, honest: Answer) => Partial<Answer> | null

/** An endpoint before a chain's, which tells lies. */
async function startLiar(rpcUrl: string, lie: Lie): Promise<string> {
  const relay = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray())
    const asked = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const [calls, answers] = [JSON.parse(String(body)), await asked.json()].map(one => [one].flat())
    const told = (answers as Answer[]).map(answer => {
      const call = (calls as Call[]).find(({ id }) => id === answer.id) as Call
      const falsely = lie(call, answer)
      return falsely === null ? answer : { jsonrpc: '2.0', id: answer.id, ...falsely }
    })
    response.end(JSON.stringify(Array.isArray(JSON.parse(String(body))) ? told : told[0]))
  }
  // The chain may be stopped while a call of the peer is on its way.
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const reverted = { error: { code: 3, message: 'execution reverted' } }

/** Tells each of its lies so many times, and then the truth. */
function liesAbout(deploymentBlock: number): Lie {
  const left = new Map([
    ['eth_call', 12],
    ['eth_estimateGas', 2],
    ['eth_getBalance', 1],
    ['first block', 2],
    ['head', 2],
  ])
  const mayLie = (about: string) => {
    const count = left.get(about) ?? 0
    left.set(about, count - 1)
    return count > 0
  }
  return ({ method, params }, { result }) => {
    if (method === 'eth_call' || method === 'eth_estimateGas') return mayLie(method) ? reverted : null
    if (method === 'eth_getBalance') return mayLie(method) ? { result: '0x0' } : null
    if (method === 'eth_maxPriorityFeePerGas') return { result: numberToHex(parseGwei('480')) }
    if (method !== 'eth_getBlockByNumber') return null
    const block = result as { timestamp: string; hash: string }
    if (params[0] === numberToHex(deploymentBlock))
      return mayLie('first block') ? { result: { ...block, hash: `0x${'ee'.repeat(32)}` } } : null
    const yearAhead = numberToHex(Number(block.timestamp) + 31_536_000)
    return params[0] === 'latest' && mayLie('head') ? { result: { ...block, timestamp: yearAhead } } : null
  }
}

test('a queued call outlives a start at an endpoint that lies about contracts, funds, the chain, its head and gas', async () => {
  const local = await startLocalChain({ blockTimeSec: 1 })
  onTestFinished(() => local.stop())
  const deployment = await deployContracts(local, 600, environmentHash(environmentFrom('starter')))
  const identity = await openIdentity(mkdtempSync(join(tmpdir(), 'waggle-lying-')))
  await local.fund(identity.address)
  const { accountKey, peerKey, signer } = identity
  const outbox = createOutboxTable(openDatabase(':memory:'))
  const stop = new AbortController()
  const common = { deployment, accountKey, peerKey, signer, outbox, logger: silentLogger, waitsOut: true }
  const before = await openChain({ ...common, rpcUrl: local.rpcUrl, clock: systemClock, signal: stop.signal })
  stop.abort()
  await before.done
  const to = `0x${'12'.repeat(20)}` as const
  outbox.insert({ key: 'queued', to, data: '0x', valueWei: 1n, fromRound: null, throughRound: 1_000 })

  const ended = new AbortController()
  // Waits pass ten times as fast, the chain's blocks do not.
  const clock = createManualClock(Date.now())
  const ticking = setInterval(() => clock.advance(100), 10)
  onTestFinished(() => {
    clearInterval(ticking)
    ended.abort()
  })
  const rpcUrl = await startLiar(local.rpcUrl, liesAbout(firstBlock(deployment)))
  const chain = await openChain({ ...common, rpcUrl, clock, signal: ended.signal })
  while (outbox.get('queued')?.status === 'queued') await chain.nextBlock(ended.signal)
  expect(outbox.get('queued')?.attempts[0]?.maxPriorityFeePerGasWei).toBe(parseGwei('2'))
  while ((await local.client.getBalance({ address: to })) === 0n) await chain.nextBlock(ended.signal)
  expect(await local.client.getBalance({ address: to })).toBe(1n)
  ended.abort()
  await chain.done
})
