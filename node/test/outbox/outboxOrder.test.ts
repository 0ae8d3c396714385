import { expect, test } from 'vitest'
import { intent, page, setup } from './outboxScene.ts'

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

test('calls for different shards go out several to a block, others one after the other', async () => {
  const { chain, outbox, settle, status } = setup({ atOnce: 4 })
  chain.reverting.add('0x11')
  for (let shard = 0; shard < 6; shard++) outbox.enqueue(page(shard))
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  expect(chain.poolSize()).toBe(4)
  chain.mine()
  expect(chain.executed()).toEqual(['0x10', '0x12', '0x13', '0x14'])
  await settle(2)
  expect(chain.executed()).toEqual(['0x10', '0x12', '0x13', '0x14', '0x15', '0x01'])
  expect(status('settle:1:1')).toBe('reverted')
})

/** Demanded leaves, which are shown until a later round. */
const leaves = (count: number, through: number) =>
  Array.from({ length: count }, (_, leaf) => ({
    ...intent(`0x${(0x1000 + leaf).toString(16)}`, { through }),
    key: `showLeaf:0:0x11:${leaf}`,
  }))

test('a call goes out before older ones that may wait longer, and each block takes sixteen leaves', async () => {
  const { chain, outbox, settle, status } = setup()
  for (const leaf of leaves(64, 2)) outbox.enqueue(leaf)
  outbox.enqueue(intent('0x01', { through: 1 }))
  outbox.enqueue(intent('0x02', { through: 0 }))
  await settle(1)
  expect(chain.executed()).toEqual(['0x02'])
  await settle(1)
  expect(chain.executed()).toEqual(['0x02', '0x01'])
  await settle(1)
  outbox.enqueue(intent('0x03', { through: 1 }))
  await settle(1)
  expect(chain.executed()).toHaveLength(2 + 32)
  await settle(3)
  expect(chain.executed()).toHaveLength(3 + 64)
  expect(status('showLeaf:0:0x11:63')).toBe('mined')
})

test('a call without a last round is overtaken by no younger one, and overtakes those that may wait', async () => {
  const { chain, outbox, settle } = setup()
  for (const leaf of leaves(64, 2)) outbox.enqueue(leaf)
  outbox.enqueue(intent('0x01', { through: 0 }))
  outbox.enqueue(intent('0x02'))
  outbox.enqueue(intent('0x03', { through: 0 }))
  await settle(3)
  expect(chain.executed()).toEqual(['0x01', '0x02', '0x03'])
})

test('a verdict that comes after 16 closings of demands is mined in the block after theirs', async () => {
  const { chain, outbox, settle, status } = setup()
  for (let leaf = 0; leaf < 16; leaf++)
    outbox.enqueue({ ...intent(`0x${10 + leaf}`), key: `closeDemand:5:0xab:${leaf}` })
  await outbox.tick()
  outbox.enqueue({ ...intent('0xff', { through: 0 }), key: 'commitVerdict:1' })
  chain.mine()
  await settle(1)
  expect(status('commitVerdict:1')).toBe('mined')
  expect(chain.executed()).toHaveLength(17)
})

test('calls that would revert hold up no other, however many they are', async () => {
  const { chain, outbox, settle, status } = setup()
  for (const leaf of leaves(64, 0)) {
    chain.reverting.add(leaf.data)
    outbox.enqueue(leaf)
  }
  outbox.enqueue(intent('0x01', { through: 0 }))
  await settle(1)
  expect(chain.executed()).toEqual(['0x01'])
  await settle(1)
  expect(status('showLeaf:0:0x11:63')).toBe('reverted')
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
