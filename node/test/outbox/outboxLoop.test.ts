import { BaseError, InvalidAddressError } from 'viem'
import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { createHeads } from '#chain/guard/heads.ts'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { createManualClock, systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { DiskFullError } from '#store/diskSpace.ts'
import { intent, setup } from './outboxScene.ts'

test('the loop continues through an outage and answers its callers when it is stopped', async () => {
  const { chain, modules } = setup()
  const stop = new AbortController()
  let outages = 3
  const head = async () => {
    if (outages-- > 0) throw new ChainUnreachableError('down', { hint: 'wait', retryable: true })
    return chain.head()
  }
  const outbox = createOutbox({ ...modules, head, clock: systemClock })
  const done = outbox.run(stop.signal)
  outbox.enqueue(intent('0x01'))
  outbox.enqueue(intent('0x02', { from: 9, through: 9 }))
  const mined = outbox.outcome('0x01')
  const open = outbox.outcome('0x02')
  while (chain.poolSize() === 0) await systemClock.sleep(1)
  chain.mine()
  expect(await mined).toMatchObject({ status: 'mined' })
  stop.abort()
  await done
  expect(await open).toEqual({ status: 'stopped' })
  expect(await outbox.outcome('0x02')).toEqual({ status: 'stopped' })
})

test('a call that only waits for its round has no block polled before that round', async () => {
  const { chain, modules } = setup()
  const stop = new AbortController()
  const asked: number[] = []
  const head = async () => ({ ...(await chain.head()), endsAtSec: 5_000 })
  const nextHead = async (_: AbortSignal, { fromSec }: { fromSec: number }) => {
    asked.push(fromSec)
    if (asked.length === 1) outbox.enqueue(intent('0x01'))
    else stop.abort()
  }
  const outbox = createOutbox({ ...modules, head, nextHead })
  outbox.enqueue(intent('0x02', { from: 9, through: 9 }))
  await outbox.run(stop.signal)
  expect(asked).toEqual([5_000, 0])
})

test('an outage that lasts too long for a command ends the loop, and its callers hear that the call is open', async () => {
  const { modules, clock } = setup()
  const failure = new ChainUnreachableError('down', { hint: 'wait', retryable: true })
  const outbox = createOutbox({ ...modules, head: () => Promise.reject(failure) }, { outageMs: 120_000 })
  const done = outbox.run(new AbortController().signal)
  outbox.enqueue(intent('0x01'))
  const outcome = outbox.outcome('0x01')
  let ended: unknown
  done.catch(error => {
    ended = error
  })
  while (ended === undefined && clock.nowMs() < 600_000) {
    clock.advance(1_000)
    await systemClock.sleep(1)
  }
  expect(ended).toBe(failure)
  expect(clock.nowMs()).toBeGreaterThanOrEqual(120_000)
  expect(clock.nowMs()).toBeLessThan(150_000)
  expect(await outcome).toEqual({ status: 'stopped' })
})

test.each(['an estimate', 'a transaction'])(
  'a call that waits because an endpoint refuses %s of it is said once, and ends a command as an outage does',
  async what => {
    const { chain, modules, clock } = setup()
    const lines: string[] = []
    const logger = { ...silentLogger, warn: (line: string) => void lines.push(line) }
    const refused = async () => ({ refused: 'Cannot estimate gas' })
    const rpc = { ...chain.rpc, ...(what === 'an estimate' ? { simulate: refused } : { send: refused }) }
    const outbox = createOutbox({ ...modules, logger, rpc }, { outageMs: 120_000 })
    outbox.enqueue(intent('0x01'))
    let ended: unknown
    outbox.run(new AbortController().signal).catch(error => {
      ended = error
    })
    while (ended === undefined && clock.nowMs() < 600_000) {
      clock.advance(1_000)
      chain.mine()
      await systemClock.sleep(1)
    }
    expect(ended).toBeInstanceOf(ChainUnreachableError)
    expect(String(ended)).toContain('Cannot estimate gas')
    expect(clock.nowMs()).toBeLessThan(150_000)
    expect(lines.filter(line => line === 'transactions wait')).toHaveLength(1)
  },
)

test('a defect ends the loop instead of being swallowed', async () => {
  const { modules } = setup()
  const head = () => Promise.reject(new TypeError('defect'))
  const outbox = createOutbox({ ...modules, head })
  await expect(outbox.run(new AbortController().signal)).rejects.toThrow('defect')
})

test('an answer that viem cannot decode is waited out', async () => {
  const { modules } = setup()
  const stop = new AbortController()
  let asked = 0
  const head = () => {
    asked += 1
    if (asked === 2) stop.abort()
    return Promise.reject(new BaseError('out of range'))
  }
  await createOutbox({ ...modules, head }).run(stop.signal)
  expect(asked).toBe(2)
})

test('a call of ours that cannot be encoded is a defect, though its error is of viem', async () => {
  const { modules } = setup()
  const head = () => Promise.reject(new BaseError('estimate', { cause: new InvalidAddressError({ address: '0x1' }) }))
  await expect(createOutbox({ ...modules, head }).run(AbortSignal.timeout(5_000))).rejects.toThrow('estimate')
})

test.each([
  ['as SQLite reports a write', new DiskFullError('/data/journal.sqlite')],
  ['as it reports a flush', Object.assign(new Error('disk I/O error'), { errcode: 1_034 })],
])('a disk that turns read-only under a call on its way is waited out, and said once, %s', async (_, failure) => {
  const { chain, modules, store, clock } = setup()
  const readOnly = Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' })
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const logger = { ...silentLogger, error: note, warn: note, info: note }
  let isReadOnly = false
  const disk = createDiskGuard({
    ...{ folder: '/data', clock, logger, readFree: async () => 2 ** 40, faultOf: () => null },
    probe: async () => {
      if (isReadOnly) throw readOnly
    },
  })
  const failing = <T extends unknown[]>(write: (...args: T) => void) => {
    return (...args: T) => {
      if (isReadOnly) throw failure
      write(...args)
    }
  }
  const stop = new AbortController()
  const outbox = createOutbox({
    ...{ ...modules, disk, logger },
    store: { ...store, addAttempt: failing(store.addAttempt), prune: failing(store.prune) },
  })
  outbox.enqueue(intent('0x01'))
  const mined = outbox.outcome('0x01')
  isReadOnly = true
  const done = outbox.run(stop.signal)
  while (!(await Promise.race([mined, systemClock.sleep(1)]))) {
    clock.advance(1_000)
    if (clock.nowMs() >= 60_000) isReadOnly = false
    if (chain.poolSize() > 0) chain.mine()
    if (clock.nowMs() > 600_000) break
  }
  stop.abort()
  await done
  expect(lines).toEqual([
    'the data folder cannot be used; work waits',
    'the data folder can be used again; work continues',
  ])
  expect(await mined).toMatchObject({ status: 'mined' })
})

test('a call whose write the disk refused is sent once it can be written, though no block comes', async () => {
  const { chain, modules, store, clock } = setup()
  let refused = 0
  const disk = createDiskGuard({
    ...{ folder: '/data', clock, logger: silentLogger, readFree: async () => 2 ** 40 },
    ...{ faultOf: () => null, probe: async () => {} },
  })
  const addAttempt: typeof store.addAttempt = (...attempt) => {
    if (refused++ === 0) throw Object.assign(new Error('disk I/O error'), { errcode: 1_034 })
    store.addAttempt(...attempt)
  }
  const stop = new AbortController()
  let rests = 0
  const nextHead = async (signal: AbortSignal) => {
    rests += 1
    await new Promise(resolve => signal.addEventListener('abort', resolve))
  }
  const outbox = createOutbox({ ...modules, disk, nextHead, store: { ...store, addAttempt } })
  const done = outbox.run(stop.signal)
  while (rests === 0) await systemClock.sleep(1)
  outbox.enqueue(intent('0x01'))
  while (chain.poolSize() === 0 && clock.nowMs() < 60_000) {
    clock.advance(1_000)
    await systemClock.sleep(1)
  }
  expect({ refused, sent: chain.poolSize() }).toEqual({ refused: 2, sent: 1 })
  stop.abort()
  await done
})

test('a store that cannot be read for a while is waited out, though the disk takes other files', async () => {
  const { chain, modules, store, clock } = setup()
  const disk = createDiskGuard({
    ...{ folder: '/data', clock, logger: silentLogger, readFree: async () => 2 ** 40 },
    ...{ faultOf: () => null, probe: async () => {} },
  })
  let reads = 0
  const live = () => {
    // The second is of the rest after the first was waited out.
    if (++reads <= 4) throw Object.assign(new Error('disk I/O error'), { errcode: 266 })
    return store.live()
  }
  const stop = new AbortController()
  const outbox = createOutbox({ ...modules, disk, store: { ...store, live } })
  outbox.enqueue(intent('0x01'))
  const mined = outbox.outcome('0x01')
  const done = outbox.run(stop.signal)
  let ended: unknown
  done.catch(error => {
    ended = error
  })
  while (!(await Promise.race([mined, systemClock.sleep(1)])) && ended === undefined && clock.nowMs() < 600_000) {
    clock.advance(1_000)
    if (chain.poolSize() > 0) chain.mine()
  }
  expect(ended).toBeUndefined()
  expect(await mined).toMatchObject({ status: 'mined' })
  stop.abort()
  await done
})

test('an endpoint that refuses a transaction at once is asked again once a block', async () => {
  const { chain, modules } = setup()
  const clock = createManualClock()
  const stop = new AbortController()
  const readHead = async () => {
    const { block } = await chain.head()
    return { number: block, timeSec: clock.nowMs() / 1000, hash: `0x${block}`, atMs: clock.nowMs() }
  }
  const heads = createHeads({ readHead, clock, signal: stop.signal, pollMs: 500 })
  const head = async () => ({ block: (await heads.recent()).number, round: 0 })
  let sent = 0
  const send = async () => {
    sent += 1
    // Asked again at once, it would never let the test go on.
    if (sent > 50) stop.abort()
    throw new ChainUnreachableError('the pool is full', { hint: 'wait', retryable: true })
  }
  const rpc = { ...chain.rpc, send }
  const outbox = createOutbox({ ...modules, rpc, head, nextHead: heads.next, clock })
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  const done = outbox.run(stop.signal)
  await turns()
  chain.mine()
  // Another reader sees the block first.
  await heads.read()
  outbox.enqueue(intent('0x01'))
  await turns()
  expect(sent).toBe(1)
  chain.mine()
  clock.advance(500)
  await turns()
  expect(sent).toBe(2)
  stop.abort()
  await done
})
