import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createFakeChain } from './fakeChain.ts'

/** Stands for a kill: nothing in the node catches it. */
class Crash extends Error {}

/** Two that go out together, and one after them. */
const intents: OutboxIntent[] = (['0x01', '0x02', '0x03'] as const).map((data, at) => ({
  key: at < 2 ? `settle:1:${data}` : data,
  to: '0x00000000000000000000000000000000000000bb',
  data,
  fromRound: null,
  throughRound: null,
}))

/** Counts every call through the port and dies at the one chosen: before it takes effect, or right after. */
function dying<T extends object>(port: T, fuse: { left: number; after: boolean }): T {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const last = fuse.left-- === 0
        if (last && !fuse.after) throw new Crash()
        const result = method.apply(target, args)
        if (!last) return result
        if (result instanceof Promise)
          return result.then(() => {
            throw new Crash()
          })
        throw new Crash()
      }
    },
  })
}

/** Lives until it dies or has nothing to do; a block is mined after each tick. Returns whether it died. */
async function live(
  db: DatabaseSync,
  chain: ReturnType<typeof createFakeChain>,
  fuse: { left: number; after: boolean },
) {
  const store = dying(createOutboxTable(db), fuse)
  const rpc = dying(chain.rpc, fuse)
  try {
    const outbox = createOutbox(
      { store, rpc, head: chain.head, nextHead: chain.head, clock: createManualClock(), logger: silentLogger },
      { confirmations: 2 },
    )
    for (const intent of intents) outbox.enqueue(intent)
    for (let i = 0; i < 12; i++) {
      await outbox.tick()
      chain.mine()
    }
    return false
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    return true
  }
}

const never = { left: Number.POSITIVE_INFINITY, after: false }
/** Every write of the store is atomic and durable, so that a database in memory that outlives the node is a disk. */
const newDisk = () => openDatabase(':memory:')

test.each(['before', 'after'])(
  'killed %s any one call, a restart neither loses nor repeats a transaction',
  async when => {
    let calls = 0
    for (; ; calls++) {
      const chain = createFakeChain()
      chain.mine()
      const disk = newDisk()
      const died = await live(disk, chain, { left: calls, after: when === 'after' })
      chain.mine()
      await live(disk, chain, { ...never })
      expect(chain.executed(), `killed ${when} call ${calls}`).toEqual(['0x01', '0x02', '0x03'])
      if (!died) break
    }
    expect(calls).toBeGreaterThan(40)
  },
)

test('killed again and again while the chain loses blocks, nothing is lost or repeated', async () => {
  const life = fc.record({ left: fc.nat(60), after: fc.boolean(), lost: fc.nat(2) })
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async lives => {
      const chain = createFakeChain()
      chain.mine(3)
      const disk = newDisk()
      for (const { left, after, lost } of lives) {
        await live(disk, chain, { left, after })
        chain.lose(lost)
        chain.mine()
      }
      await live(disk, chain, { ...never })
      expect(chain.executed().toSorted()).toEqual(['0x01', '0x02', '0x03'])
    }),
    { numRuns: 40 },
  )
})
