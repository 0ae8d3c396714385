import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startFaultyProxy } from './faultyProxy.ts'

const chain = createServer((request, response) => {
  request.resume().on('end', () => {
    response.end(
      JSON.stringify([
        { jsonrpc: '2.0', id: 1, result: '0x7a69' },
        { id: 2, result: { timestamp: '0x10' } },
      ]),
    )
  })
}).listen(0, '127.0.0.1')
await once(chain, 'listening')
const proxy = await startFaultyProxy(`http://127.0.0.1:${(chain.address() as AddressInfo).port}`)
afterAll(async () => {
  await proxy.close()
  chain.close()
})

const BEYOND = `0x1${'0'.repeat(64)}`
const HEADER = ['eth_chainId', 'eth_getBlockByNumber']

async function ask(slot: string, methods = HEADER) {
  const body = JSON.stringify(methods.map(method => ({ method })))
  const response = await fetch(proxy.urlOf(slot), { method: 'POST', body })
  return response.ok ? ((await response.json()) as { result?: unknown }[]).map(({ result }) => result) : response.status
}

test('an endpoint lies or fails for one peer as it is told to, and for no other', async () => {
  const truth = ['0x7a69', { timestamp: '0x10' }]
  expect(await ask('a')).toEqual(truth)
  const told = { empty: [undefined, undefined], zero: ['0x', '0x'], otherChain: ['0x1', truth[1]], fail: 500 } as const
  for (const [fault, found] of Object.entries(told)) {
    proxy.set('a', fault as keyof typeof told)
    expect(await ask('a')).toEqual(found)
  }
  proxy.set('a', 'future')
  expect(await ask('a')).toEqual(['0x7a69', { timestamp: `0x${(16 + 365 * 86_400).toString(16)}` }])
  proxy.set('a', 'huge')
  expect(await ask('a')).toEqual([BEYOND, { timestamp: BEYOND }])
  proxy.set('a', 'reverted')
  expect(await ask('a')).toEqual(truth)
  proxy.set('a', 'refuse')
  await expect(ask('a')).rejects.toThrow()
  expect(await ask('b')).toEqual(truth)
  proxy.set('a', null)
  expect(await ask('a')).toEqual(truth)
})

test('reads and estimates are refused by a false revert, and views answer with the largest words', async () => {
  proxy.set('c', 'reverted')
  expect(await ask('c', ['eth_call', 'eth_estimateGas'])).toEqual([undefined, undefined])
  proxy.set('c', 'huge')
  expect(await ask('c', ['eth_call', 'eth_getBlockByNumber'])).toEqual(['0xffff', { timestamp: BEYOND }])
})
