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

async function ask(slot: string) {
  const body = JSON.stringify([{ method: 'eth_chainId' }, { method: 'eth_getBlockByNumber' }])
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
  proxy.set('a', 'refuse')
  await expect(ask('a')).rejects.toThrow()
  expect(await ask('b')).toEqual(truth)
  proxy.set('a', null)
  expect(await ask('a')).toEqual(truth)
})
