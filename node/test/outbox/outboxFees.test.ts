import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { intent, setup } from './outboxScene.ts'

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

test('a suggested tip is followed up to an eighth of the most that is paid, and replacements stay below that', async () => {
  const { chain, modules, store } = setup()
  const GWEI = 10n ** 9n
  const fees = async () => ({ maxFeePerGasWei: 490n * GWEI, maxPriorityFeePerGasWei: 480n * GWEI })
  const send = async () => 'underpriced' as const
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, fees, send } }, { stuckBlocks: 1 })
  outbox.enqueue(intent('0x01'))
  for (let block = 0; block < 40; block++) {
    await outbox.tick()
    chain.mine()
  }
  const attempts = store.get('0x01')?.attempts ?? []
  expect(attempts[0]).toMatchObject({ maxFeePerGasWei: 12n * GWEI, maxPriorityFeePerGasWei: 2n * GWEI })
  expect(attempts.length).toBeGreaterThan(5)
  for (const { maxFeePerGasWei, maxPriorityFeePerGasWei } of attempts) {
    expect(maxPriorityFeePerGasWei).toBeLessThanOrEqual(16n * GWEI)
    expect(maxPriorityFeePerGasWei).toBeLessThanOrEqual(maxFeePerGasWei)
  }
})
