import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Deployment, deploymentPath, readDeployment } from '@waggle/deployments/record'
import type { Config } from './config.ts'
import { UsageError } from './usageError.ts'

const text = { type: 'string' } as const

export const dataOption = { data: text } as const
export const networkOptions = { network: text, deployment: text, rpc: text } as const

export const networkUsage = `  --data DIR          the peer's folder (default .waggle/peer)
  --network NAME      local, sepolia, gensynTestnet, or another record in deployments/ (default local)
  --deployment FILE   a deployment's record, where it is not one that comes with the code
  --rpc URL           RPC endpoint of its chain (default: that of the network, or WAGGLE_RPC_URL)`

/** Endpoints that a peer may use without an account of its own; an operator's own is better. */
const publicRpc: Record<string, string> = {
  local: 'http://127.0.0.1:8545',
  sepolia: 'https://ethereum-sepolia-rpc.publicnode.com',
  gensynTestnet: 'https://gensyn-testnet.g.alchemy.com/public',
}

/**
 * The deployment that a command talks to.
 *
 * @throws {UsageError} if the network is not known or has no deployment yet.
 */
export function openDeployment(config: Config): { deployment: Deployment; rpcUrl: string } {
  const path = config.deployment ?? deploymentPath(config.network, join(config.data, '..'))
  const known = config.network in publicRpc || config.deployment !== undefined
  if (!existsSync(path)) {
    const hint = known
      ? `Deploy there first (npx hardhat deploy --network ${config.network}), or name a record with --deployment.`
      : `Known networks: ${Object.keys(publicRpc).join(', ')}.`
    throw new UsageError(`No deployment on the network '${config.network}': ${path} is not there.`, { hint })
  }
  const deployment = readDeployment(path)
  const rpcUrl = config.rpc ?? process.env.WAGGLE_RPC_URL ?? publicRpc[deployment.network]
  if (rpcUrl === undefined)
    throw new UsageError(`No RPC endpoint for '${deployment.network}'.`, {
      hint: 'Name one with --rpc or WAGGLE_RPC_URL.',
    })
  return { deployment, rpcUrl }
}
