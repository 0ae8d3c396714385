import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { NO_REASON } from '#chain/revertedWith.ts'
import { systemClock } from '#core/clock.ts'
import { intent, setup } from './outboxScene.ts'

test('a call that would revert is not sent, and its outcome names the error', async () => {
  const { chain, outbox, settle } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01'))
  outbox.enqueue(intent('0x02'))
  const outcome = outbox.outcome('0x01')
  await settle(2)
  expect(await outcome).toEqual({ status: 'reverted', error: 'Reverts(0x01)', hash: null })
  expect(chain.executed()).toEqual(['0x02'])
})

test('one lagging simulation does not give a call up', async () => {
  const { chain, outbox, settle } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.reverting.clear()
  await settle(2)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a call that the contract refused for a while is sent when it is asked for again, also after a restart', async () => {
  const { chain, outbox, settle, start, status } = setup()
  const tooEarly = { ...intent('0x01'), key: 'closeDemand:4:0x11:1' }
  chain.reverting.add('0x01')
  outbox.enqueue(tooEarly)
  await settle(2)
  outbox.enqueue(tooEarly)
  const again = outbox.outcome(tooEarly.key)
  await settle(13)
  expect(await again).toMatchObject({ status: 'reverted', hash: null })
  chain.reverting.clear()
  const restarted = start()
  restarted.enqueue(tooEarly)
  const late = restarted.outcome(tooEarly.key)
  for (let block = 0; block < 2; block++) {
    await restarted.tick()
    chain.mine()
  }
  await restarted.tick()
  expect(await late).toMatchObject({ status: 'mined' })
  restarted.enqueue(tooEarly)
  await settle(6)
  expect([chain.executed(), status(tooEarly.key)]).toEqual([['0x01'], 'confirmed'])
})

test('a refused call stays refused once its round is over', async () => {
  const { chain, outbox, settle } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01', { through: 0 }))
  await settle(2)
  chain.reverting.clear()
  chain.setRound(1)
  await settle(3)
  outbox.enqueue(intent('0x01', { through: 0 }))
  expect(await outbox.outcome('0x01')).toMatchObject({ status: 'reverted', hash: null })
  await settle(3)
  expect(chain.executed()).toEqual([])
})

test('a call in a block is not sent again, succeeded or reverted, nor one whose receipt was missing while a simulation refused it', async () => {
  const { chain, outbox, settle, modules, status } = setup()
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.reverting.add('0x01')
  await settle(4)
  chain.reverting.clear()
  outbox.enqueue(intent('0x01'))
  await settle(4)
  expect([chain.executed(), status('0x01')]).toEqual([['0x01'], 'reverted'])
  const { receipt } = chain.rpc
  const once = { ...intent('0x02'), key: 'closeDemand:4:0x11:1' }
  outbox.enqueue(once)
  await outbox.tick()
  modules.rpc.receipt = async () => null
  chain.mine()
  // The chain refuses a second one.
  chain.reverting.add('0x02')
  await settle(8)
  expect(await outbox.outcome(once.key)).toMatchObject({ status: 'reverted', hash: null })
  modules.rpc.receipt = receipt
  outbox.enqueue(once)
  await settle(4)
  expect([chain.executed(), status(once.key)]).toEqual([['0x01', '0x02'], 'confirmed'])
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

test('raises of its fee do not count as runs out of gas', async () => {
  const { chain, outbox, settle, status, store } = setup({ stuckBlocks: 1 })
  outbox.enqueue(intent('0x01'))
  for (let block = 0; block < 5; block++) {
    await outbox.tick()
    chain.setBaseFee(100n * 3n ** BigInt(block + 1))
    chain.mine()
  }
  expect(store.get('0x01')?.attempts.length).toBeGreaterThan(4)
  chain.starving.add('0x01')
  chain.setBaseFee(100n)
  await settle(1)
  chain.starving.clear()
  await settle(8)
  expect(chain.executed()).toEqual(['0x01', '0x01'])
  expect(status('0x01')).toBe('confirmed')
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
  let nowMs = 0
  const sleep = (ms: number, signal?: AbortSignal) => {
    nowMs += ms
    return systemClock.sleep(1, signal)
  }
  const clock = { nowMs: () => nowMs, sleep }
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

test('a revert without a reason settles no call before its last round, and holds up no other', async () => {
  const { chain, modules, store } = setup()
  let lies = true
  const simulate: typeof chain.rpc.simulate = async call =>
    lies && call.data === '0x01' ? { revertedWith: NO_REASON } : chain.rpc.simulate(call)
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, simulate } }, { confirmations: 3 })
  const mine = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) {
      await outbox.tick()
      await outbox.tick()
      chain.mine()
    }
    await outbox.tick()
  }
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data, { through: 1 }))
  await mine(8)
  expect(chain.executed()).toEqual(['0x02'])
  lies = false
  await mine(4)
  expect(chain.executed()).toEqual(['0x02', '0x01'])
  lies = true
  outbox.enqueue({ ...intent('0x01'), key: 'without a last round' })
  await mine(8)
  expect(store.get('without a last round')?.status).toBe('reverted')
})

test('a call whose estimate an endpoint refuses in unknown words holds up no other, and is kept', async () => {
  const { chain, modules, status } = setup()
  let isRefused = true
  const simulate: typeof chain.rpc.simulate = async call =>
    isRefused && call.data === '0x01' ? { refused: 'Cannot estimate gas' } : chain.rpc.simulate(call)
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, simulate } }, { confirmations: 3 })
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
  const mine = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) {
      await outbox.tick()
      chain.mine()
    }
  }
  await mine(8)
  expect([status('0x01'), chain.executed()]).toEqual(['queued', ['0x02']])
  isRefused = false
  await mine(2)
  expect(chain.executed()).toEqual(['0x02', '0x01'])
})

test.each([1, null])(
  'an error that a contract names settles a call with last round %s in two blocks only',
  async through => {
    const { chain, outbox, settle, status } = setup()
    chain.reverting.add('0x01')
    outbox.enqueue({ ...intent('0x01'), throughRound: through })
    for (let look = 0; look < 5; look++) await outbox.tick()
    expect(status('0x01')).toBe('queued')
    chain.mine()
    await outbox.tick()
    expect(status('0x01')).toBe('reverted')
    outbox.enqueue({ ...intent('0x01'), throughRound: through, key: 'again' })
    for (let look = 0; look < 5; look++) await outbox.tick()
    chain.reverting.clear()
    await settle(2)
    expect(chain.executed()).toEqual(['0x01'])
  },
)

test('without another block, an error settles a call after two waits: one may be a jump of the clock', async () => {
  const { chain, clock, outbox, status } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  for (const [passedMs, is] of [
    [3_600_000, 'queued'],
    [14_999, 'queued'],
    [1, 'reverted'],
  ] as const) {
    clock.advance(passedMs)
    await outbox.tick()
    expect(status('0x01')).toBe(is)
  }
})

test('a receipt counts only if the nonce of its transaction is used', async () => {
  const { chain, modules } = setup()
  let lies = true
  const receipt: typeof chain.rpc.receipt = async hash =>
    lies ? { block: 0, succeeded: false, gasUsed: 21_000n } : chain.rpc.receipt(hash)
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, receipt } }, { confirmations: 3 })
  outbox.enqueue(intent('0x01'))
  const outcome = outbox.outcome('0x01')
  await outbox.tick()
  await outbox.tick()
  lies = false
  chain.mine()
  await outbox.tick()
  expect(await outcome).toMatchObject({ status: 'mined', block: 1 })
})
