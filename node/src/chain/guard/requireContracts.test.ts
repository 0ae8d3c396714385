import type { Deployment } from '@waggle/deployments/record'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { ContractMissingError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { requireContracts } from './requireContracts.ts'

const address = `0x${'1'.repeat(40)}`
const deployment = { contracts: { Rounds: { address } } } as unknown as Deployment

const endpoint = (name: string, code: string): Endpoint => ({
  origin: `https://${name}.example`,
  ask: async () => code,
})

test('an endpoint without the contracts gives way to one that has them', async () => {
  const [lagging, good, more] = [endpoint('lagging', '0x'), endpoint('good', '0x60'), endpoint('more', '0x60')]
  const require = (endpoints: Endpoint[]) => requireContracts(endpoints, deployment, createManualClock())
  expect(await require([lagging, good, more])).toEqual([good, lagging, more])
  expect(await require([good, lagging])).toEqual([good, lagging])
  await expect(require([lagging, lagging])).rejects.toThrow(ContractMissingError)
  await expect(require([lagging])).rejects.toThrow('on the chain at https://lagging.example')
})
