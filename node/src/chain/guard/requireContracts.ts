import type { Deployment } from '@waggle/deployments/record'
import type { Clock } from '#core/clock.ts'
import { callChain } from '../callChain.ts'
import { ContractMissingError } from '../chainErrors.ts'
import { clientOf } from '../clientOf.ts'
import type { Endpoint } from './endpoint.ts'
import { requestOnce } from './requestOnce.ts'

/**
 * The endpoints, first of all one that has the contracts: one that lags behind the deployment, or says so, may have an honest one after it.
 *
 * @throws {ContractMissingError} of the first endpoint if none has them.
 */
export async function requireContracts(
  endpoints: readonly Endpoint[],
  deployment: Pick<Deployment, 'contracts'>,
  clock: Clock,
): Promise<Endpoint[]> {
  let missing: ContractMissingError | undefined
  for (const endpoint of endpoints) {
    const ordered = [endpoint, ...endpoints.filter(other => other !== endpoint)]
    try {
      await requireCode(ordered, deployment, clock)
      return ordered
    } catch (error) {
      if (!(error instanceof ContractMissingError)) throw error
      missing ??= error
    }
  }
  throw missing
}

async function requireCode(
  endpoints: readonly Endpoint[],
  { contracts }: Pick<Deployment, 'contracts'>,
  clock: Clock,
): Promise<void> {
  const rpc = clientOf(requestOnce(endpoints, clock))
  const origin = String(endpoints[0]?.origin)
  for (const [name, { address }] of Object.entries(contracts)) {
    const code = await callChain(origin, () => rpc.getCode({ address }))
    if (code === undefined || code === '0x')
      throw new ContractMissingError(`There is no ${name} at ${address} on the chain at ${origin}.`, {
        hint: 'The chain was reset or the record is stale: deploy again (npx hardhat deploy), or start with --fresh.',
      })
  }
}
