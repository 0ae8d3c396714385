import { knownNetworks } from '@waggle/deployments/networks'
import type { Deployment } from '@waggle/deployments/record'
import type { Clock } from '#core/clock.ts'
import type { AccountAddress } from '#core/hashes.ts'
import { NoFundsError } from '../chainErrors.ts'
import type { Endpoint } from './endpoint.ts'
import { requestOnce } from './requestOnce.ts'

type Options = { payer: AccountAddress; deployment: Pick<Deployment, 'chainId' | 'network'>; clock: Clock }

/** Times that every endpoint must say that an account has nothing, and the time between two. */
const POOR_ANSWERS = 3
const POOR_PAUSE_MS = 500

/** @throws {NoFundsError} if no endpoint knows of any funds of the account. */
export async function requireFunds(
  endpoints: readonly Endpoint[],
  { payer, deployment, clock }: Options,
): Promise<void> {
  for (let tried = 1; tried <= POOR_ANSWERS; tried++) {
    for (const endpoint of endpoints) {
      const ask = requestOnce([endpoint, ...endpoints.filter(other => other !== endpoint)], clock)
      const balance = await ask({ method: 'eth_getBalance', params: [payer, 'latest'] })
      if (BigInt(String(balance)) > 0n) return
    }
    if (tried < POOR_ANSWERS) await clock.sleep(POOR_PAUSE_MS)
  }
  throw new NoFundsError(
    `The account ${payer} has no funds on '${deployment.network}' (chain ${deployment.chainId}).`,
    {
      hint:
        deployment.chainId === knownNetworks.local.chainId
          ? 'npx waggle join with the same options takes some from the local chain.'
          : 'Send it some of the chain’s native coin (a faucet, on a test network) and start again.',
    },
  )
}
