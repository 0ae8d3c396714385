import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { NoFundsError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { requireFunds } from './requireFunds.ts'

const clock = { ...systemClock, sleep: async () => undefined }
const payer = `0x${'12'.repeat(20)}` as const

/** An endpoint that gives these balances, and the last one from then on. */
function endpointWith(...balances: string[]): Endpoint {
  let asked = 0
  return { origin: 'https://one.example', ask: async () => balances[Math.min(asked++, balances.length - 1)] }
}

const requiredOn = (chainId: number, ...endpoints: Endpoint[]) =>
  requireFunds(endpoints, { payer, deployment: { chainId, network: 'test' }, clock })
const required = (...endpoints: Endpoint[]) => requiredOn(7, ...endpoints)

test('an endpoint that says once or twice that an account is empty does not end a start, nor one of two', async () => {
  await required(endpointWith('0x0', '0x0', '0x1'))
  await required(endpointWith('0x0'), endpointWith('0x1'))
})

test('an account without funds is named, with what to do', async () => {
  await expect(required(endpointWith('0x0'))).rejects.toThrow(NoFundsError)
  await expect(required(endpointWith('0x0'), endpointWith('0x0'))).rejects.toThrow(`The account ${payer} has no funds`)
  await expect(required(endpointWith('0x0'))).rejects.toMatchObject({ hint: expect.stringContaining('faucet') })
  const local = expect.stringContaining('npx waggle join')
  await expect(requiredOn(31_337, endpointWith('0x0'))).rejects.toMatchObject({ hint: local })
})
