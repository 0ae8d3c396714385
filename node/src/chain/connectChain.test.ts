import { expect, test } from 'vitest'
import { createManualClock, systemClock } from '#core/clock.ts'
import { createPatience } from '#core/patience.ts'
import { connectChain } from './connectChain.ts'

test("an endpoint beyond a command's patience counts as unreachable for now: the command ends with 75", async () => {
  const patience = createPatience(0, createManualClock(), () => {})
  const deployment = { network: 'test', chainId: 1, contracts: {} } as never
  const connected = connectChain({ rpcUrl: 'http://127.0.0.1:9/v1/k3y', deployment, patience, clock: systemClock })
  await expect(connected).rejects.toMatchObject({
    code: 'CHAIN_UNREACHABLE',
    retryable: true,
    message: 'http://127.0.0.1:9 answers too slowly: waiting for it took more than 0 s.',
  })
})
