import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { intent, page, setup } from './outboxScene.ts'

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

test.each([
  { depth: 8, blocks: 9 },
  { depth: 30, blocks: 31 },
  { depth: 30, blocks: 29 },
])('a branch of $blocks blocks instead of $depth costs no final call', async ({ depth, blocks }) => {
  const { chain, outbox, settle, status } = setup()
  outbox.enqueue(intent('0x01', { through: 0 }))
  await settle(depth)
  expect(status('0x01')).toBe('confirmed')
  chain.lose(depth)
  chain.mine(blocks)
  await settle(20)
  expect(chain.executed()).toEqual(['0x01'])
  expect(status('0x01')).toBe('confirmed')
})

test('once its last transaction is deep, an outbox asks for nothing', async () => {
  const { chain, outbox, settle, modules } = setup()
  outbox.enqueue(intent('0x01'))
  await settle(80)
  modules.rpc.latestNonce = () => Promise.reject(new Error('asked'))
  await settle(3)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a nonce that another process of the account took is left to it', async () => {
  const { chain, outbox, settle } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.stranger(0)
  await settle(8)
  expect(chain.executed()).toEqual(['0xffff', '0x01'])
})

test.each([
  { blocks: 6, ends: 'confirmed' },
  { blocks: 60, ends: 'dropped' },
])('a mined transfer whose receipt is missing for $blocks blocks is not sent twice', async ({ blocks, ends }) => {
  const { chain, outbox, settle, status, modules } = setup()
  const { receipt } = chain.rpc
  outbox.enqueue(intent('0x01'))
  await settle(0)
  chain.mine()
  modules.rpc.receipt = async () => null
  await settle(blocks)
  modules.rpc.receipt = receipt
  outbox.enqueue(intent('0x02'))
  await settle(6)
  expect(chain.executed()).toEqual(['0x01', '0x02'])
  expect(status('0x01')).toBe(ends)
})

test('a transfer that another copy of the peer replaced is settled by the transaction of that copy', async () => {
  const { chain, outbox, settle, store } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.stranger(0, 1000, '0x01')
  await settle(6)
  expect(chain.executed()).toEqual(['0x01'])
  expect(store.get('0x01')).toMatchObject({ status: 'confirmed', minedBlock: 1 })
})

test('a transfer whose nonce is used by an unknown transaction is dropped after 30 blocks, and holds others up for a few', async () => {
  const { chain, outbox, settle, store, status } = setup()
  chain.rpc.minedAt = async () => null
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.stranger(0)
  outbox.enqueue(intent('0x02'))
  await settle(6)
  expect(chain.executed()).toEqual(['0xffff', '0x02'])
  await settle(20)
  expect(status('0x01')).toBe('signed')
  await settle(10)
  expect(store.get('0x01')).toMatchObject({ status: 'dropped', detail: expect.stringContaining('unknown by what') })
})

test('it is signed again once a server shows what used its nonce', async () => {
  const { chain, outbox, settle, modules } = setup()
  const { minedAt } = chain.rpc
  modules.rpc.minedAt = async () => Promise.reject(new Error('no state'))
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.stranger(0)
  await settle(12)
  modules.rpc.minedAt = minedAt
  await settle(3)
  expect(chain.executed()).toEqual(['0xffff', '0x01'])
})

test.each([{ call: { through: 1 } }, { call: { key: 'market:revealClue:7:0' } }])(
  'a call that the chain refuses a second time is signed again: $call',
  async ({ call: { through, key = '0x01' } }) => {
    const { chain, outbox, settle } = setup()
    chain.rpc.minedAt = async () => null
    outbox.enqueue({ ...intent('0x01', { ...(through && { through }) }), key })
    await outbox.tick()
    chain.stranger(0)
    await settle(6)
    expect(chain.executed()).toEqual(['0xffff', '0x01'])
  },
)

test('such a call that an older version dropped is sent again if it is asked for', async () => {
  const { chain, outbox, settle, store } = setup()
  const reveal = { ...intent('0x01'), key: 'market:revealClue:7:0' }
  const { id } = outbox.enqueue(reveal)
  await outbox.tick()
  chain.stranger(0)
  chain.mine()
  store.setStatus(id, 'dropped', 'another transaction took its nonce')
  outbox.enqueue(reveal)
  await settle(6)
  expect(chain.executed()).toEqual(['0xffff', '0x01'])
})

test('a transfer that ran out of gas is signed again on a server without earlier states', async () => {
  const { chain, outbox, settle, status } = setup()
  chain.rpc.minedAt = async () => null
  chain.starving.add('0x01')
  outbox.enqueue(intent('0x01'))
  await settle(1)
  chain.starving.delete('0x01')
  await settle(8)
  expect(chain.executed()).toEqual(['0x01', '0x01'])
  expect(status('0x01')).toBe('confirmed')
})

test('behind a transfer whose nonce seemed used, the next call does not take its nonce', async () => {
  const { chain, outbox, settle, modules } = setup()
  const { latestNonce } = chain.rpc
  chain.rpc.minedAt = async () => null
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.forgetPool()
  modules.rpc.latestNonce = async () => 1
  outbox.enqueue(intent('0x02'))
  await settle(6)
  modules.rpc.latestNonce = latestNonce
  await settle(8)
  expect(chain.executed()).toEqual(['0x01', '0x02'])
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

test('a pool that refuses the nonce behind a gap gets what fills it, also after a restart', async () => {
  const { chain, modules, outbox, start } = setup()
  const { send, nonces } = chain.rpc
  modules.rpc.send = async raw => {
    const { nonce } = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString())
    const { pending } = await nonces()
    return nonce > pending ? { refused: `NonceGap, Future nonce. Expected nonce: ${pending}` } : send(raw)
  }
  outbox.enqueue(page(1, { through: 0 }))
  outbox.enqueue(page(2, { through: 1 }))
  await outbox.tick()
  chain.forgetPool()
  chain.setRound(1)
  const restarted = start()
  restarted.enqueue(intent('0x01', { through: 1 }))
  for (let block = 0; block < 8; block++) {
    await restarted.tick()
    chain.mine()
  }
  expect(chain.executed()).toEqual(['0x', page(2).data, '0x01'])
})

test.each([
  { wrong: 'latest', through: 9, executed: ['0x01', '0x02'] },
  { wrong: 'pending', through: 9, executed: ['0x01', '0x02'] },
  // The first transaction can be sent by others once the account gets there.
  { wrong: 'latest', executed: ['0x02'] },
])(
  'one wrong answer about the $wrong nonce delays a call with a last round ($through), drops others, and holds up none after it',
  async ({ wrong, through, executed }) => {
    const { chain, modules, status } = setup()
    let lies = true
    const nonces = async () => {
      const found = await chain.rpc.nonces()
      return lies ? { latest: wrong === 'latest' ? 1_000_000 : found.latest, pending: 1_000_000 } : found
    }
    const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, nonces } }, { confirmations: 3 })
    for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data, { ...(through && { through }) }))
    await outbox.tick()
    lies = false
    for (let block = 0; block < (through ? 4 : 6); block++) {
      await outbox.tick()
      chain.mine()
    }
    expect(chain.executed()).toEqual(executed)
    expect(status('0x01') === 'dropped').toBe(through === undefined)
  },
)

test('a nonce that only a wrong answer of now puts far ahead is kept', async () => {
  const { chain, modules, outbox, settle } = setup()
  for (let nonce = 0; nonce < 70; nonce++) chain.stranger(nonce)
  chain.mine()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  const { nonces, latestNonce } = chain.rpc
  Object.assign(modules.rpc, { latestNonce: async () => 0, nonces: async () => ({ latest: 0, pending: 0 }) })
  await outbox.tick()
  Object.assign(modules.rpc, { latestNonce, nonces })
  await settle(4)
  expect(chain.executed().filter(data => data === '0x01')).toHaveLength(1)
})
