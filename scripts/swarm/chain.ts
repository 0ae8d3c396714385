import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Deployment, readDeployment } from '@waggle/deployments/record'
import { createTestClient, http } from 'viem'
import { anvilArgv, anvilBinary } from '../base/anvil.ts'
import { mineStuck } from '../base/mineStuck.ts'
import { keepChainState } from './keepChainState.ts'
import { mendChainState } from './mendChainState.ts'
import type { Managed, Supervisor } from './processes/supervisor.ts'
import { restoreBlockHashes } from './restoreBlockHashes.ts'
import { answers, waitFor } from './waitFor.ts'

/** Between two blocks of the local chain. */
const BLOCK_SECONDS = 1

const root = join(import.meta.dirname, '..', '..')
const hardhatCli = join(createRequire(import.meta.url).resolve('hardhat/package.json'), '..', 'dist', 'src', 'cli.js')

export interface LocalChain {
  port: number
  data: string
  onExit: (status: number | string) => void
}

/** A chain that keeps its state in `<data>/chain`, with a block a second. One whose time was moved ahead resumes there. */
export async function startChain(supervisor: Supervisor, chain: LocalChain, signal: AbortSignal): Promise<Managed> {
  const folder = join(chain.data, 'chain')
  await mkdir(folder, { recursive: true })
  const statePath = join(folder, 'state.json')
  const aheadSec = await mendChainState(statePath)
  const time = aheadSec > Date.now() / 1000 ? { timeSec: aheadSec + 1 } : {}
  const argv = anvilArgv({ port: chain.port, statePath, blockTimeSec: BLOCK_SECONDS, ...time })
  const managed = await supervisor.start({ name: 'chain', command: anvilBinary(), argv }, chain.onExit)
  keepChainState(statePath, managed.exited)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const ask = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
  const rpcUrl = `http://127.0.0.1:${chain.port}`
  await waitFor(managed, () => answers(rpcUrl, ask), 120_000, signal)
  if (aheadSec > 0) await restoreBlockHashes(rpcUrl)
  return managed
}

/**
 * Has the local chain mine each transaction at once while it is set up, and a block a second from then on: contracts and peers depend on each
 * other, so that a deployment and the registrations after it wait for a dozen blocks.
 */
export async function minedAtOnce<T>(rpcUrl: string, setUp: () => Promise<T>): Promise<T> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  await chain.setAutomine(true)
  // The time of a resumed chain is that of its last block.
  await chain.mine({ blocks: 1 })
  const done = await setUp().finally(mineStuck(chain))
  await chain.setIntervalMining({ interval: BLOCK_SECONDS })
  return done
}

interface DeployRequest {
  rpcUrl: string
  data: string
  roundSeconds: number | undefined
  environmentHash: string
}

/** Runs the very task that `npx hardhat deploy` runs, without its compiler where nobody has changed the contracts. @throws {Error} with its one clear line. */
export async function deploy(request: DeployRequest): Promise<{ deployment: Deployment; path: string }> {
  const argv = [hardhatCli, 'deploy', '--network', 'local', '--data', request.data]
  argv.push('--environment', request.environmentHash, '--prebuilt', '--json')
  if (request.roundSeconds !== undefined) argv.push('--round-seconds', String(request.roundSeconds))
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...process.env, WAGGLE_RPC_URL: request.rpcUrl, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const status = await new Promise(resolve => child.on('close', resolve))
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  if (status !== 0) throw new Error(errors.trim() || last || `the deployment failed with status ${status}`)
  const path = (JSON.parse(last) as { record: string }).record
  return { deployment: readDeployment(path), path }
}
