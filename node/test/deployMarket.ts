import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { type Abi, type Hex, zeroAddress } from 'viem'
import type { LocalChain } from './localChain.ts'

const root = join(import.meta.dirname, '../..')
const sources = {
  TestToken: 'test/market/MarketDoubles.sol',
  PrgMarket: 'src/PrgMarket.sol',
  PredictionMarket: 'src/PredictionMarket.sol',
} as const

type Name = keyof typeof sources

/** Adds a market to a deployment, over a token that anyone may mint. */
export async function deployMarket({ client, admin }: Pick<LocalChain, 'client' | 'admin'>, deployment: Deployment) {
  const { RewardVotes, Rounds, PeerRegistry } = deployment.contracts
  const receiptOf = (hash: Hex) => client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  const deploy = async (name: Name, args: unknown[]) => {
    const hash = await client.deployContract({ ...artifact(name), args, account: admin, chain: null })
    const { contractAddress, blockNumber } = await receiptOf(hash)
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return { address: contractAddress, startBlock: Number(blockNumber) }
  }
  const token = (await deploy('TestToken', [])).address
  // Nobody bets through `PrgMarket` here, so it needs no registry of peer accounts.
  const PrgMarket = await deploy('PrgMarket', [zeroAddress, admin.address])
  const wired = [token, RewardVotes.address, Rounds.address, PeerRegistry.address, PrgMarket.address, 1]
  const PredictionMarket = await deploy('PredictionMarket', wired)
  const write = async (address: Hex, name: Name, functionName: string, args: unknown[]) => {
    const call = { address, abi: artifact(name).abi, functionName, args, account: admin, chain: null }
    await receiptOf(await client.writeContract(call))
  }
  await write(PrgMarket.address, 'PrgMarket', 'bindMarket', [PredictionMarket.address])
  return {
    deployment: { ...deployment, contracts: { ...deployment.contracts, PrgMarket, PredictionMarket } },
    token,
    mint: (to: Hex, amount: bigint) => write(token, 'TestToken', 'mint', [to, amount]),
  }
}

function artifactPath(name: Name): string {
  return join(root, 'artifacts/contracts', sources[name], `${name}.json`)
}

function artifact(name: Name): { abi: Abi; bytecode: Hex } {
  return JSON.parse(readFileSync(artifactPath(name), 'utf8'))
}
