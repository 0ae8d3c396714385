import { BaseError, InvalidAddressError } from 'viem'
import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { systemClock } from '#core/clock.ts'
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
