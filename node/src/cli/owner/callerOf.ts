import { privateKeyToAddress } from 'viem/accounts'
import { environment } from '../environment.ts'
import { UsageError } from '../usageError.ts'
import { addressOf } from './action.ts'
import type { Caller } from './propose.ts'

/**
 * The caller that the options name. A dry run is one of the account whose key would sign; a Safe signs with none of this shell's.
 *
 * @throws {UsageError | ProposalRefusedError}
 */
export function callerOf({
  isDry,
  isSafes,
  account,
}: {
  isDry: boolean
  isSafes: boolean
  account: string | undefined
}): Caller {
  if (account !== undefined && !isDry && !isSafes)
    throw new UsageError('--account goes with --dry-run or --safe.', {
      hint: 'Without them the account of WAGGLE_DEPLOYER_KEY makes the call.',
    })
  if (account !== undefined) return { key: null, account: addressOf(account) }
  if (isSafes) return { key: null, account: null }
  if (!isDry) return { key: environment.deployerKey() }
  const key = environment.deployerKeyIfSet()
  return { key: null, account: key && privateKeyToAddress(key) }
}
