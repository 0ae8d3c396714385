import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Deployment } from '@waggle/deployments/record'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { openIdentity } from '#store/identity.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const COMMITS = 6
/** Until round 0, of simulated time: a key that is registered before it counts from it. */
const STARTS_IN_SEC = 10_000
let local: LocalChain
let deployment: Deployment
let startsAtSec: number

beforeAll(async () => {
  const statePath = join(mkdtempSync(join(tmpdir(), 'waggle-anvil-')), 'state.json')
  local = await startLocalChain({ statePath, blockTimeSec: 1 })
  startsAtSec = Number((await local.client.getBlock()).timestamp) + STARTS_IN_SEC
  // A block a second is for the node; each contract has its block at once.
  await local.client.setAutomine(true)
  deployment = await deployContracts(local, 100_000, undefined, undefined, STARTS_IN_SEC)
  await local.client.setIntervalMining({ interval: 1 })
})

afterAll(() => local.stop())

/** Runs the node until it prints `until`, then kills it; without `until`, to its end. Returns what it printed. */
async function live(dataDir: string, until?: string): Promise<string[]> {
  const argv = [
    join(import.meta.dirname, 'outboxChild.ts'),
    dataDir,
    local.rpcUrl,
    JSON.stringify(deployment),
    `${COMMITS}`,
  ]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (until !== undefined && line.startsWith(until)) child.kill('SIGKILL')
  }
  await ended
  return lines
}

async function committedRoots(): Promise<number[]> {
  const { rolloutCommitments, startBlock } = contractsOf(deployment)
  const range = { fromBlock: BigInt(startBlock), strict: true } as const
  const logs = await local.client.getContractEvents({ ...rolloutCommitments, eventName: 'RolloutsCommitted', ...range })
  return logs.map(({ args }) => Number(args.root))
}

test('a node that is killed again and again, and a chain that is killed with it, commit everything once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'waggle-kill-'))
  const identity = await openIdentity(dataDir)
  await local.fund(identity.address)

  await live(dataDir, 'registered mined')
  await local.travelTo(startsAtSec + 10)
  await live(dataDir, 'enqueued')
  await live(dataDir, 'commit 1 mined')
  await live(dataDir, 'commit 3 mined')
  // The last second of the chain is lost: a commit that was mined may be gone again.
  await local.kill()
  await local.restart()
  // A chain that starts again forgets how far it was set ahead.
  await local.travelTo(startsAtSec + 1_000)
  const lines = await live(dataDir)

  expect(lines).toEqual([
    'registered already registered',
    'enqueued',
    ...[1, 2, 3, 4, 5, 6].map(i => `commit ${i} mined`),
  ])
  expect(await committedRoots()).toEqual([1, 2, 3, 4, 5, 6])
})
