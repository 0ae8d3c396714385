import { createOutbox } from '#chain/outbox/outbox.ts'
import type { OutboxOptions } from '#chain/outbox/outboxOptions.ts'
import { createManualClock, systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createFakeChain } from '../fakeChain.ts'

export const intent = (data: `0x${string}`, rounds: { from?: number; through?: number } = {}): OutboxIntent => ({
  key: data,
  to: '0x00000000000000000000000000000000000000bb',
  data,
  fromRound: rounds.from ?? null,
  throughRound: rounds.through ?? null,
})

/** An outbox on a fake chain of one block. */
export function setup(options: Partial<OutboxOptions> = {}) {
  const chain = createFakeChain()
  const clock = createManualClock()
  chain.mine()
  const store = createOutboxTable(openDatabase(':memory:'))
  const nextHead = (signal: AbortSignal) => systemClock.sleep(1, signal)
  const modules = {
    store,
    rpc: chain.rpc,
    head: chain.head,
    nextHead,
    clock,
    logger: silentLogger,
  }
  const start = () => createOutbox(modules, { confirmations: 3, ...options })
  const outbox = start()
  const settle = async (blocks: number) => {
    for (let i = 0; i < blocks; i++) {
      await outbox.tick()
      chain.mine()
    }
    await outbox.tick()
  }
  return { chain, clock, store, modules, start, outbox, settle, status: (key: string) => store.get(key)?.status }
}

export const page = (shard: number, rounds?: Parameters<typeof intent>[1]): OutboxIntent => ({
  ...intent(`0x${10 + shard}`, rounds),
  key: `settle:1:${shard}`,
})
