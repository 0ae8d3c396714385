import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseError } from 'viem'
import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { createOutbox } from '#chain/outbox/outbox.ts'
import type { OutboxOptions } from '#chain/outbox/outboxOptions.ts'
import { createManualClock, systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { backupDataFolder, openBackup } from '#store/backup/backup.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createFakeChain } from './fakeChain.ts'

const intent = (data: `0x${string}`, rounds: { from?: number; through?: number } = {}): OutboxIntent => ({
  key: data,
  to: '0x00000000000000000000000000000000000000bb',
  data,
  fromRound: rounds.from ?? null,
  throughRound: rounds.through ?? null,
})

function setup(options: Partial<OutboxOptions> = {}) {
  const chain = createFakeChain()
  chain.mine()
  const store = createOutboxTable(openDatabase(':memory:'))
  const nextHead = (signal: AbortSignal) => systemClock.sleep(1, signal)
  const modules = {
    store,
    rpc: chain.rpc,
    head: chain.head,
    nextHead,
    clock: createManualClock(),
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
  return { chain, store, modules, start, outbox, settle, status: (key: string) => store.get(key)?.status }
}

test('intents are mined once each, in order, and confirmed when they are deep', async () => {
  const { chain, outbox, settle, status } = setup()
  outbox.enqueue(intent('0x01'))
  outbox.enqueue(intent('0x02'))
  outbox.enqueue(intent('0x01'))
  const outcome = outbox.outcome('0x01')
  await outbox.tick()
  expect(status('0x01')).toBe('signed')
  expect(status('0x02')).toBe('queued')
  chain.mine()
  await outbox.tick()
  expect(await outcome).toMatchObject({ status: 'mined', block: 1 })
  expect(status('0x01')).toBe('mined')
  await settle(4)
  expect([status('0x01'), status('0x02')]).toEqual(['confirmed', 'confirmed'])
  expect(chain.executed()).toEqual(['0x01', '0x02'])
  expect(await outbox.outcome('0x02')).toMatchObject({ status: 'mined' })
})

test('a block that comes in the middle of a look leaves its nonce to the transaction that it has', async () => {
  const { chain, modules, store } = setup()
  let comes = false
  const latestNonce = async () => {
    const read = await chain.rpc.latestNonce()
    if (comes) chain.mine()
    comes = false
    return read
  }
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, latestNonce } }, { confirmations: 3 })
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
  await outbox.tick()
  comes = true
  await outbox.tick()
  expect(store.get('0x02')?.attempts.map(({ nonce }) => nonce)).toEqual([1])
  chain.mine()
  expect(chain.executed()).toEqual(['0x01', '0x02'])
})

test('a call that would revert is not sent, and its outcome names the error', async () => {
  const { chain, outbox } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01'))
  outbox.enqueue(intent('0x02'))
  const outcome = outbox.outcome('0x01')
  await outbox.tick()
  await outbox.tick()
  expect(await outcome).toEqual({ status: 'reverted', error: 'Reverts(0x01)', hash: null })
  await outbox.tick()
  chain.mine()
  expect(chain.executed()).toEqual(['0x02'])
})

test('one lagging simulation does not give a call up', async () => {
  const { chain, outbox, settle } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.reverting.clear()
  await settle(1)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a transaction that fails when it is mined is reverted, with its hash', async () => {
  const { chain, outbox, settle, status } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.reverting.add('0x01')
  await settle(1)
  expect(await outbox.outcome('0x01')).toMatchObject({ status: 'reverted', error: 'Reverts(0x01)', hash: /^0x/ })
  await settle(3)
  expect(status('0x01')).toBe('reverted')
})

test('a call that ran out of gas is simulated and signed again once that is final, and given up at the fourth time', async () => {
  const { chain, outbox, settle, status } = setup()
  const once = outbox.outcome('0x01')
  outbox.enqueue(intent('0x01'))
  chain.starving.add('0x01')
  await settle(1)
  chain.starving.clear()
  await settle(8)
  expect(await once).toMatchObject({ status: 'mined' })
  expect(chain.executed()).toEqual(['0x01', '0x01'])
  chain.starving.add('0x02')
  outbox.enqueue(intent('0x02'))
  await settle(24)
  expect(await outbox.outcome('0x02')).toMatchObject({ status: 'reverted' })
  expect([status('0x01'), status('0x02')]).toEqual(['confirmed', 'reverted'])
  expect(chain.executed().filter(data => data === '0x02').length).toBe(4)
})

test('a call waits for its first round and is dropped after its last', async () => {
  const { chain, outbox, settle, status } = setup()
  outbox.enqueue(intent('0x01', { from: 2, through: 2 }))
  outbox.enqueue(intent('0x02', { from: 1, through: 1 }))
  outbox.enqueue(intent('0x03'))
  await settle(2)
  expect(chain.executed()).toEqual(['0x03'])
  const dropped = outbox.outcome('0x02')
  chain.setRound(2)
  await settle(2)
  expect(chain.executed()).toEqual(['0x03', '0x01'])
  expect(status('0x02')).toBe('dropped')
  expect(await dropped).toEqual({ status: 'dropped', reason: 'round passed' })
})

test('a sleeper of many rounds drops all that passed in one step', async () => {
  const { chain, outbox, store } = setup()
  for (let round = 0; round < 20; round++) outbox.enqueue(intent(`0x${10 + round}`, { from: round, through: round }))
  chain.setRound(100)
  await outbox.tick()
  expect(store.live()).toEqual([])
  expect(chain.poolSize()).toBe(0)
})

test('the nonce of a dropped transaction is taken by the next, which outbids it', async () => {
  const { chain, outbox, settle } = setup()
  chain.setBaseFee(100n)
  outbox.enqueue(intent('0x01', { through: 0 }))
  await outbox.tick()
  expect(chain.poolSize()).toBe(1)
  chain.setRound(1)
  outbox.enqueue(intent('0x02'))
  await settle(2)
  expect(chain.executed()).toEqual(['0x02'])
})

test('a stuck transaction is signed again under its nonce with a higher fee, and mined once', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2, rebroadcastBlocks: 1 })
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.setBaseFee(240n)
  await settle(6)
  const attempts = store.get('0x01')?.attempts ?? []
  expect(attempts.length).toBeGreaterThan(1)
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a transaction that the pool forgot is sent again as it is', async () => {
  const { chain, outbox, settle, store } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.forgetPool()
  await settle(3)
  expect(chain.executed()).toEqual(['0x01'])
  expect(store.get('0x01')?.attempts).toHaveLength(1)
})

test.each([1, 2, 3, 5])('a reorganisation of %i blocks loses nothing and repeats nothing', async depth => {
  const { chain, outbox, settle, status } = setup()
  for (const data of ['0x01', '0x02', '0x03'] as const) outbox.enqueue(intent(data))
  await settle(4)
  chain.lose(depth)
  await settle(8)
  expect(chain.executed()).toEqual(['0x01', '0x02', '0x03'])
  expect(['0x01', '0x02', '0x03'].map(status)).toEqual(['confirmed', 'confirmed', 'confirmed'])
})

test('a nonce that another process of the account took is left to it', async () => {
  const { chain, outbox, settle } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.stranger(0)
  await settle(8)
  expect(chain.executed()).toEqual(['0xffff', '0x01'])
})

test('behind a transaction of another process ours is queued', async () => {
  const { chain, outbox, settle } = setup()
  chain.stranger(0)
  outbox.enqueue(intent('0x01'))
  await settle(1)
  expect(chain.executed()).toEqual(['0xffff', '0x01'])
})

test('if that other transaction vanishes, the gap is filled', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2 })
  chain.stranger(0)
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.forgetPool()
  const again = store.get('0x01')?.attempts[0]
  if (again === undefined) throw new Error('not signed')
  await chain.rpc.send(again.raw)
  await settle(6)
  expect(chain.executed()).toEqual(['0x', '0x01'])
})

test.each(['latest', 'pending'] as const)(
  'one wrong answer about the %s nonce delays a call, and holds up none after it',
  async wrong => {
    const { chain, modules } = setup()
    let lies = true
    const nonces = async () => {
      const found = await chain.rpc.nonces()
      return lies ? { latest: wrong === 'latest' ? 1_000_000 : found.latest, pending: 1_000_000 } : found
    }
    const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, nonces } }, { confirmations: 3 })
    for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
    await outbox.tick()
    lies = false
    for (let block = 0; block < 4; block++) {
      await outbox.tick()
      chain.mine()
    }
    expect(chain.executed()).toEqual(['0x01', '0x02'])
  },
)

test('one wrong estimate of gas delays a call, and holds up none after it', async () => {
  const { chain, modules } = setup()
  let lies = true
  const simulate: typeof chain.rpc.simulate = async call => (lies ? { gas: 2n ** 60n } : chain.rpc.simulate(call))
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, simulate } }, { confirmations: 3 })
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
  await outbox.tick()
  lies = false
  for (let block = 0; block < 8; block++) {
    await outbox.tick()
    chain.mine()
  }
  expect(chain.executed()).toEqual(['0x01', '0x02'])
})

test('an account without funds loses nothing and resumes when it has some', async () => {
  const { chain, outbox, settle } = setup()
  chain.setBroke(true)
  outbox.enqueue(intent('0x01'))
  await settle(3)
  expect(chain.executed()).toEqual([])
  chain.setBroke(false)
  await settle(3)
  expect(chain.executed()).toEqual(['0x01'])
})

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

test('without a block, what came during a look is sent, and a call that would revert gets its second look', async () => {
  const { chain, modules } = setup()
  const stop = new AbortController()
  const nextHead = () => new Promise(() => undefined)
  let enqueueNow = () => {}
  const head = async () => {
    enqueueNow()
    return chain.head()
  }
  const clock = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(1, signal) }
  const outbox = createOutbox({ ...modules, head, nextHead, clock })
  chain.reverting.add('0x02')
  enqueueNow = () => {
    enqueueNow = () => {}
    setImmediate(() => outbox.enqueue(intent('0x02')))
  }
  const latestNonce = chain.rpc.latestNonce
  chain.rpc.latestNonce = async () => {
    await systemClock.sleep(5)
    return latestNonce()
  }
  const done = outbox.run(stop.signal)
  while (modules.store.get('0x02')?.status !== 'reverted') await systemClock.sleep(1)
  stop.abort()
  await done
})

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

const page = (shard: number, rounds?: Parameters<typeof intent>[1]): OutboxIntent => ({
  ...intent(`0x${10 + shard}`, rounds),
  key: `settle:1:${shard}`,
})

test('calls for different shards go out several to a block, others one after the other', async () => {
  const { chain, outbox, settle, status } = setup({ atOnce: 4 })
  chain.reverting.add('0x11')
  for (let shard = 0; shard < 6; shard++) outbox.enqueue(page(shard))
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  expect(chain.poolSize()).toBe(3)
  chain.mine()
  expect(chain.executed()).toEqual(['0x10', '0x12', '0x13'])
  await settle(2)
  expect(chain.executed()).toEqual(['0x10', '0x12', '0x13', '0x14', '0x15', '0x01'])
  expect(status('settle:1:1')).toBe('reverted')
})

test('calls that go out together and are lost or too cheap are repeated under their own nonces', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2, rebroadcastBlocks: 3 })
  for (let shard = 0; shard < 4; shard++) outbox.enqueue(page(shard))
  await outbox.tick()
  chain.setBaseFee(240n)
  chain.forgetPool()
  await settle(8)
  expect(chain.executed()).toEqual(['0x10', '0x11', '0x12', '0x13'])
  for (let shard = 0; shard < 4; shard++) {
    const attempts = store.get(`settle:1:${shard}`)?.attempts ?? []
    expect(new Set(attempts.map(({ nonce }) => nonce))).toEqual(new Set([shard]))
  }
})

test('the nonce of one of several that was given up does not hold up the others', async () => {
  const { chain, outbox, settle } = setup({ stuckBlocks: 2 })
  outbox.enqueue(page(0, { through: 0 }))
  outbox.enqueue(page(1))
  outbox.enqueue(page(2))
  await outbox.tick()
  chain.forgetPool()
  chain.setRound(1)
  await settle(8)
  expect(chain.executed()).toEqual(['0x', '0x11', '0x12'])
})

test('no transaction pays more than the cap, whatever the endpoint asks for, and it goes out when blocks are cheaper', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2, maxFeePerGasWei: 300n })
  chain.setBaseFee(1_000_000n)
  outbox.enqueue(intent('0x01'))
  await settle(8)
  expect(chain.executed()).toEqual([])
  expect(store.get('0x01')?.attempts.map(({ maxFeePerGasWei }) => maxFeePerGasWei)).toEqual([300n])
  chain.setBaseFee(200n)
  await settle(2)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a peer that was moved to another machine finishes what it had signed, and the old one does not repeat it', async () => {
  const { chain, modules } = setup()
  const root = mkdtempSync(join(tmpdir(), 'waggle-move-'))
  const openOutbox = (folder: string) => {
    const store = createOutboxTable(openDatabase(join(root, folder, 'journal.sqlite')))
    return { store, outbox: createOutbox({ ...modules, store }, { confirmations: 3 }) }
  }
  const { accountKey } = await openIdentity(join(root, 'old'))
  const old = openOutbox('old')
  old.outbox.enqueue(intent('0x01'))
  await old.outbox.tick()
  // A bet, say, which waits its turn.
  old.outbox.enqueue(intent('0x03'))

  await backupDataFolder(join(root, 'old'), join(root, 'copy'), 'passphrase', 4)
  expect(await (await openBackup(join(root, 'copy'), join(root, 'new'))).restore('passphrase')).toBe(1)
  expect((await openIdentity(join(root, 'new'))).accountKey).toBe(accountKey)
  const moved = openOutbox('new')
  expect(moved.store.get('0x03')).toBeUndefined()
  expect(moved.store.get('0x01')?.attempts).toEqual(old.store.get('0x01')?.attempts)
  moved.outbox.enqueue(intent('0x02'))
  for (let block = 0; block < 5; block++) {
    await moved.outbox.tick()
    chain.mine()
  }
  await moved.outbox.tick()
  expect(chain.executed()).toEqual(['0x01', '0x02'])
  expect(['0x01', '0x02'].map(key => moved.store.get(key)?.status)).toEqual(['confirmed', 'confirmed'])

  // The old machine wakes up with the journal of before the move, and has the bet to itself.
  expect(old.store.get('0x01')?.status).toBe('signed')
  await old.outbox.tick()
  chain.mine()
  expect(old.store.get('0x01')?.status).toBe('confirmed')
  expect(chain.executed()).toEqual(['0x01', '0x02', '0x03'])
})
