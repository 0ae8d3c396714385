import type { NetworkConnection } from 'hardhat/types/network'
import { formatEther, getAddress } from 'viem'
import { type ContractName, contractNames } from '../../deployments/contractNames.ts'
import type { Deployment } from '../../deployments/record.ts'
import type { ChainReader, LivingContract } from './chain.ts'
import { DeployError } from './deployError.ts'
import type { CreatedContract } from './journal.ts'
import { KEY_VARIABLE, type NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'
import { afreshHint, type Places, sameParametersHint } from './places.ts'
import { type KeptParameters, type RequestedParameters, readRoundZero } from './roundZero.ts'

/** Gas of the whole deployment, rounded up; a test holds the figure to the contracts. */
export const DEPLOYMENT_GAS = 37_000_000n

/** @throws {DeployError} if no chain answers, or another chain than the network's does. */
export async function requireChain(chain: ChainReader, network: string, preset: NetworkPreset): Promise<void> {
  const chainId = await chain.chainId().catch(cause => {
    const hint =
      network === 'local'
        ? `start one with npx anvil, or set ${preset.urlVariable}`
        : `set ${preset.urlVariable} to another endpoint`
    throw new DeployError('CHAIN_UNREACHABLE', `no chain answers for network ${network}`, hint, cause)
  })
  if (chainId !== preset.chainId) {
    const message = `network ${network} is chain ${preset.chainId}, but chain ${chainId} answers`
    throw new DeployError('WRONG_CHAIN', message, `point ${preset.urlVariable} at the right chain`)
  }
}

/**
 * Ignition trusts its journal: on another chain, or after a reset, it reports success with addresses without code.
 *
 * @throws {DeployError} if another chain answers than in the first run, or a known address has no code.
 */
export async function requireLiving(
  chain: ChainReader,
  stored: DeployParameters | undefined,
  known: readonly (readonly [ContractName, CreatedContract])[],
  hint: string,
): Promise<LivingContract[]> {
  if (stored && stored.genesisHash !== (await chain.block('0x0')).hash) {
    throw new DeployError('CHAIN_REPLACED', 'this is not the chain that the deployment began on', hint)
  }
  const living: LivingContract[] = []
  for (const [name, { address }] of known) {
    if (living.some(one => one.name === name && one.address === address)) continue
    const code = await chain.code(address)
    if (code === '0x') {
      throw new DeployError('DEAD_ADDRESS', `${name} should be at ${address}, but no code is there`, hint)
    }
    living.push({ name, address, code })
  }
  return living
}

/** @throws {DeployError} if the existing deployment was made with other parameters. */
export async function requireSameParameters(
  connection: NetworkConnection,
  kept: KeptParameters | undefined,
  record: Deployment | undefined,
  { requested, ...places }: Places & { readonly requested: RequestedParameters },
): Promise<void> {
  if (Object.keys(requested).length === 0) return
  const made = kept ?? (record && (await readRoundZero(connection, record)))
  for (const [name, value] of Object.entries(requested)) {
    const now = made?.[name as keyof RequestedParameters]
    if (now !== undefined && now !== value) {
      const message = `the deployment has ${name} ${now}, not ${value}`
      throw new DeployError('PARAMETERS_DIFFER', message, `${sameParametersHint(places)}, or ${afreshHint(places)}`)
    }
  }
}

/**
 * @param sender - the account that began the deployment, if one did.
 * @throws {DeployError} if there is no account to deploy from, or another began: its open transactions cannot be told by this one's nonces.
 */
export async function requireAccount(chain: ChainReader, sender: string | undefined): Promise<`0x${string}`> {
  const [account] = await chain.accounts()
  if (!account) throw new DeployError('NO_KEY', 'the network has no account', `set ${KEY_VARIABLE}`)
  if (sender === undefined || sender.toLowerCase() === account.toLowerCase()) return account
  const message = `the deployment was begun by ${getAddress(sender)}, and the key is that of ${getAddress(account)}`
  throw new DeployError('WRONG_KEY', message, `set ${KEY_VARIABLE} to the key of ${getAddress(sender)}`)
}

/** @throws {DeployError} if the account cannot pay for what is left to do. */
export async function requireFunds(
  chain: ChainReader,
  network: string,
  account: `0x${string}`,
  created: Partial<Record<ContractName, CreatedContract>>,
): Promise<void> {
  const missing = BigInt(contractNames.filter(name => !created[name]).length)
  const costWei = ((await chain.gasPriceWei()) * DEPLOYMENT_GAS * missing) / BigInt(contractNames.length)
  const balanceWei = await chain.balanceWei(account)
  if (balanceWei < costWei) {
    const message = `${account} holds ${formatEther(balanceWei)} on ${network}, deploying takes ${formatEther(costWei)}`
    throw new DeployError('NO_FUNDS', message, 'send it the difference, or deploy with another key')
  }
}
