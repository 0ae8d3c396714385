import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stakesAbi, swarmCoordinatorAbi } from '@waggle/deployments/abi'
import { contractNames } from '@waggle/deployments/contractNames'
import type { Deployment } from '@waggle/deployments/record'
import { type Abi, createTestClient, encodeFunctionData, type Hex, http, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { anvilArgv, anvilBinary } from '../../scripts/base/anvil.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { mineStuck } from '../../scripts/base/mineStuck.ts'
import { constructorArguments, type Made, stakesWiring } from '../../scripts/deploy/constructorArguments.ts'

const root = join(import.meta.dirname, '../..')
/** Anvil's own, known to everybody. */
const mnemonic = 'test test test test test test test test test test test junk'

export type LocalChain = Awaited<ReturnType<typeof startLocalChain>>

/** A real chain on a free port of loopback, for one test. Without `blockTimeSec` each transaction makes a block. */
export async function startLocalChain(
  options: { statePath?: string; blockTimeSec?: number; chainId?: number; port?: number; timeSec?: number } = {},
) {
  const port = options.port ?? (await freePort())
  const rpcUrl = `http://127.0.0.1:${port}`
  const admin = mnemonicToAccount(mnemonic)
  const client = createTestClient({
    mode: 'anvil',
    transport: http(rpcUrl, { retryCount: 0 }),
    account: admin,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
  let child = await spawnAnvil(anvilArgv({ ...options, port }), () => client.getChainId())
  if (options.blockTimeSec === undefined) mineStuck(client)
  return {
    rpcUrl,
    port,
    client,
    admin,
    /** Waits for nothing and saves nothing: what a crash is. */
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
    async restart() {
      child = await spawnAnvil(anvilArgv({ ...options, port }), () => client.getChainId())
    },
    /** Moves chain time to a moment and makes a block there. */
    async travelTo(timeSec: number) {
      await client.setNextBlockTimestamp({ timestamp: BigInt(timeSec) })
      await client.mine({ blocks: 1 })
    },
    /** Lets blocks come by themselves meanwhile. */
    async withBlocks<T>(work: () => Promise<T>): Promise<T> {
      await client.setIntervalMining({ interval: 1 })
      const result = await work()
      await client.setIntervalMining({ interval: 0 })
      await client.setAutomine(true)
      return result
    },
    fund: (address: Hex) => client.setBalance({ address, value: 10n ** 18n }),
    /** Waits until a sent transaction's block exists: Anvil answers before it mines, and time that passes in between counts as before it. */
    async mined(sent: Promise<Hex>) {
      const { status } = await client.waitForTransactionReceipt({ hash: await sent, pollingInterval: 20 })
      if (status !== 'success') throw new Error('the transaction reverted')
    },
  }
}

async function spawnAnvil(argv: string[], ping: () => Promise<unknown>): Promise<ChildProcess> {
  const child = spawn(anvilBinary(), argv, { stdio: 'ignore' })
  for (let tries = 0; tries < 1_200; tries++) {
    const answer = await ping().catch(() => null)
    if (answer !== null) return child
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode}`)
    await sleep(25)
  }
  child.kill('SIGKILL')
  throw new Error('anvil did not answer within 30 s')
}

/**
 * Deploys the real contracts.
 *
 * @param startsInSec - until round 0: whoever registers before counts from it, whoever does later from the second round after.
 * @param keeper - of schedule and environment: the timelock on public networks, whom tests would have to wait for.
 */
export async function deployContracts(
  { client, admin }: LocalChain,
  roundSeconds = 60,
  environmentHash = `0x${'01'.repeat(32)}`,
  bootstrapRounds = 1_000_000,
  startsInSec = 0,
  keeper: 'deployer' | 'timelock' = 'deployer',
): Promise<Deployment> {
  const startsAtSec = Number((await client.getBlock()).timestamp) + startsInSec
  const deploy = async (name: string, args: unknown[]) => {
    const { abi, bytecode } = artifact(name)
    const hash = await client.deployContract({ abi, bytecode, args, account: admin, chain: null })
    const { contractAddress, blockNumber } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return { address: contractAddress, startBlock: Number(blockNumber) }
  }
  const terms = {
    ...{ deployer: admin.address, timelockSeconds: 60, blockSeconds: 1 },
    ...(keeper === 'deployer' ? { keeper: admin.address } : {}),
    ...{ startsAtSec, roundSeconds, environmentHash, bootstrapRounds },
  }
  /** The coordinator's proxy, which the timelock owns. */
  const proxied = (code: Hex) => [
    code,
    encodeFunctionData({ abi: swarmCoordinatorAbi, functionName: 'initialize', args: [addresses.TimelockController] }),
  ]
  const contracts = {} as Deployment['contracts']
  const addresses = {} as Made<Hex>
  for (const name of contractNames) {
    contracts[name] = await deploy(name, constructorArguments[name](addresses, terms))
    if (name === 'SwarmCoordinator') contracts[name] = await deploy('ERC1967Proxy', proxied(contracts[name].address))
    addresses[name] = contracts[name].address
  }
  const wire = encodeFunctionData({ abi: stakesAbi, functionName: 'wire', args: stakesWiring(addresses) })
  const hash = await client.sendTransaction({ to: addresses.Stakes, data: wire, account: admin, chain: null })
  await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return { network: 'test', chainId: await client.getChainId(), contracts }
}

/** Where the contracts lie that are not ours. */
const folders: Readonly<Record<string, string>> = {
  TimelockController: '@openzeppelin/contracts/governance',
  ERC1967Proxy: '@openzeppelin/contracts/proxy/ERC1967',
}

function artifactPath(name: string): string {
  return join(root, 'artifacts', folders[name] ?? 'contracts/src', `${name}.sol`, `${name}.json`)
}

export function artifact(name: string): { abi: Abi; bytecode: Hex } {
  return JSON.parse(readFileSync(artifactPath(name), 'utf8'))
}
