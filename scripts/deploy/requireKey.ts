import { HardhatError } from '@nomicfoundation/hardhat-errors'
import type { NetworkConfig } from 'hardhat/types/config'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { DeployError } from './deployError.ts'
import { KEY_VARIABLE } from './networks.ts'

const { ENV_VAR_NOT_FOUND } = HardhatError.ERRORS.CORE.GENERAL

/**
 * Reads the key before the first call to the chain, in which Hardhat reads it and answers a mistyped one with a stack.
 *
 * @throws {DeployError} NO_KEY if there is none, or it is not a private key. The message does not repeat it.
 */
export async function requireKey(network: NetworkConfig | undefined): Promise<void> {
  const [key] = network?.type === 'http' && Array.isArray(network.accounts) ? network.accounts : []
  if (key === undefined) return
  const text = await key.get().catch((cause: unknown) => {
    throw HardhatError.isHardhatError(cause, ENV_VAR_NOT_FOUND) ? noKey('holds no private key to deploy with') : cause
  })
  if (text.trim() === '') throw noKey('is empty, which hides a key in the keystore')
  try {
    privateKeyToAddress((await key.getHexString()) as Hex)
  } catch {
    throw noKey('is not a private key: 0x and 64 hex digits')
  }
}

/** Without a cause, which may repeat the key. */
function noKey(why: string): DeployError {
  const hint = `set it in the environment, or unset it and run "npx hardhat keystore set ${KEY_VARIABLE}"`
  return new DeployError('NO_KEY', `${KEY_VARIABLE} ${why}`, hint)
}
