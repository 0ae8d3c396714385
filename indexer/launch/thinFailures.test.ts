import { expect, test } from 'vitest'
import { thinFailures } from './thinFailures.ts'

const failed = (method: string) => `WARN  Received JSON-RPC error chain=swarm method=${method} request={}\n    at x`
const slow = 'WARN  JSON-RPC request unexpectedly surpassed timeout chain=swarm method=eth_getBlockByNumber (15s)'

test('a chain that is away costs one line a minute for each method, and other lines stay', () => {
  let now = 0
  const lines: unknown[] = []
  const write = thinFailures(
    line => lines.push(line),
    () => now,
  )
  for (let poll = 0; poll < 240; poll++) {
    now = poll * 250
    write(failed('eth_getBlockByNumber'))
    if (now >= 15_000) write(slow)
  }
  write('WARN  The chain is gone')
  write(failed('eth_getLogs'))
  expect(lines).toEqual([failed('eth_getBlockByNumber'), slow, 'WARN  The chain is gone', failed('eth_getLogs')])
  write('WARN  Received JSON-RPC error chain=swarm method=eth_getLogs request={}\nError: invalid key of block 7')
  write('WARN  Received JSON-RPC error chain=swarm method=eth_getLogs request={}\nError: invalid key of block 8')
  expect(lines.at(-1)).toMatch(/invalid key of block 7$/)
  now = 60_000
  write(failed('eth_getBlockByNumber'))
  expect(lines.at(-1)).toBe(`${failed('eth_getBlockByNumber')}\n(239 more of eth_getBlockByNumber were left out)`)
})
