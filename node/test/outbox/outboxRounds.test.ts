import { expect, test } from 'vitest'
import { intent, setup } from './outboxScene.ts'

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

test('a sleeper of many rounds drops all that passed together', async () => {
  const { chain, outbox, store, settle } = setup()
  for (let round = 0; round < 20; round++) outbox.enqueue(intent(`0x${10 + round}`, { from: round, through: round }))
  chain.setRound(100)
  await settle(2)
  expect(chain.executed()).toEqual([])
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

test('a false first header after a start loses nothing, queued or signed', async () => {
  const { chain, outbox, settle, start, status } = setup()
  outbox.enqueue(intent('0x01', { through: 0 }))
  await outbox.tick()
  chain.forgetPool()
  outbox.enqueue(intent('0x02', { through: 0 }))
  outbox.enqueue(intent('0x03', { through: 1000 }))
  const restarted = start()
  chain.setRound(1000)
  await restarted.tick()
  chain.setRound(0)
  for (let block = 0; block < 6; block++) {
    await restarted.tick()
    chain.mine()
  }
  await settle(3)
  expect(chain.executed().toSorted()).toEqual(['0x01', '0x02', '0x03'])
  expect(['0x01', '0x02', '0x03'].map(status)).toEqual(['confirmed', 'confirmed', 'confirmed'])
})

test('nothing is sent for a round that seems to have passed, and it is dropped where no other block comes', async () => {
  const { chain, clock, outbox, status } = setup()
  chain.setRound(1000)
  outbox.enqueue(intent('0x01', { through: 0 }))
  await outbox.tick()
  // The first wait is a jump of the clock, as after a suspension.
  for (const passedMs of [3_600_000, 14_999]) {
    clock.advance(passedMs)
    await outbox.tick()
    expect([status('0x01'), chain.poolSize()]).toEqual(['queued', 0])
  }
  clock.advance(1)
  await outbox.tick()
  expect(status('0x01')).toBe('dropped')
})

test('a call that false headers dropped is open again when it is asked for within its round', async () => {
  const { chain, outbox, settle, status } = setup()
  outbox.enqueue(intent('0x01', { through: 0 }))
  await outbox.tick()
  chain.forgetPool()
  chain.setRound(1000)
  outbox.enqueue(intent('0x02', { through: 0 }))
  await settle(3)
  expect([status('0x01'), status('0x02')]).toEqual(['dropped', 'dropped'])
  outbox.enqueue(intent('0x02', { through: 0 }))
  expect(status('0x02')).toBe('dropped')
  chain.setRound(0)
  await outbox.tick()
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data, { through: 0 }))
  const outcome = outbox.outcome('0x02')
  await settle(6)
  expect(await outcome).toMatchObject({ status: 'mined' })
  expect(chain.executed()).toEqual(['0x01', '0x02'])
})
