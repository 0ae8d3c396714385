import { expect, test, vi } from 'vitest'
import { mineStuck } from './mineStuck.ts'

test('a transaction that stays in the pool is mined at the second look, and not where mining is off', async () => {
  vi.useFakeTimers()
  const pool = { hashes: ['0x01'], automine: false, blocks: 0 }
  const client = {
    getTxpoolContent: async () => ({
      pending: { '0xa': Object.fromEntries(pool.hashes.map((hash, at) => [at, { hash }])) },
      queued: {},
    }),
    getAutomine: async () => pool.automine,
    mine: async () => {
      pool.blocks++
      pool.hashes = []
    },
  }
  const end = mineStuck(client as never)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pool.blocks).toBe(0)
  pool.automine = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(pool.blocks).toBe(1)
  pool.hashes = ['0x02']
  await vi.advanceTimersByTimeAsync(1_000)
  pool.hashes = ['0x03']
  await vi.advanceTimersByTimeAsync(1_000)
  expect(pool.blocks).toBe(1)
  end()
  vi.useRealTimers()
})
