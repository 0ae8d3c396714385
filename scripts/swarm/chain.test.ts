import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createTestClient, createWalletClient, http, numberToHex, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { anvilArgv, anvilBinary } from '../base/anvil.ts'
import { freePort } from '../base/freePorts.ts'
import { LOCAL_KEY } from '../deploy/networks.ts'
import { minedAtOnce, startChain } from './chain.ts'
import { keptPath } from './keepChainState.ts'
import { Supervisor } from './processes/supervisor.ts'

async function openChain() {
  const data = await mkdtemp(join(tmpdir(), 'waggle-chain-'))
  const supervisor = new Supervisor(join(data, 'logs'), join(data, 'processes.json'))
  onTestFinished(async () => {
    await supervisor.stopAll([''])
    await rm(data, { recursive: true })
  })
  const statePath = join(data, 'chain', 'state.json')
  const port = await freePort()
  const transport = http(`http://127.0.0.1:${port}`)
  const [rpc, anvil] = [createPublicClient({ transport }), createTestClient({ mode: 'anvil', transport })]
  const start = () => startChain(supervisor, { port, data, onExit() {} }, new AbortController().signal)
  return { statePath, rpc, anvil, start, supervisor }
}

test('a chain that is resumed gives contracts the hashes that its blocks have', async () => {
  const { rpc, anvil, start, supervisor } = await openChain()
  /** Result of BLOCKHASH, from code that runs as a constructor and returns it. */
  const hashOf = async (blockNumber: bigint) =>
    (await rpc.call({ data: `0x63${numberToHex(blockNumber, { size: 4 }).slice(2)}405f5260205ff3` })).data

  await start()
  await anvil.mine({ blocks: 5 })
  const { number, hash } = await rpc.getBlock({ blockNumber: 4n })
  expect(await hashOf(number)).toBe(hash)
  await supervisor.stopAll([''])
  await start()
  expect((await rpc.getBlock({ blockNumber: number })).hash).toBe(hash)
  expect(await hashOf(number)).toBe(hash)
})

test('a chain that is killed while it writes its state resumes from the last whole copy', async () => {
  const { statePath, rpc, anvil, start } = await openChain()
  const managed = await start()
  await anvil.mine({ blocks: 5 })
  const { hash } = await rpc.getBlock({ blockNumber: 5n })
  await expect
    .poll(() => readFile(keptPath(statePath), 'utf8').then(isPastFive, () => false), { timeout: 20_000 })
    .toBe(true)
  process.kill(-managed.pid, 'SIGKILL')
  await managed.exited
  const { size } = await stat(statePath)
  await truncate(statePath, Math.floor(size / 2))
  await start()
  expect((await rpc.getBlock({ blockNumber: 5n })).hash).toBe(hash)
})

const isPastFive = (state: string) => Number((JSON.parse(state) as { block: { number: string } }).block.number) >= 5

test('a chain mines a block and then each transaction at once while it is set up, runs no further ahead of the clock, and makes blocks of itself again after that', async () => {
  const port = await freePort()
  // No block comes of itself within this test.
  const chain = spawn(anvilBinary(), anvilArgv({ port, blockTimeSec: 600 }), { stdio: 'ignore' })
  onTestFinished(async () => {
    chain.kill()
    if (chain.exitCode === null) await once(chain, 'close')
  })
  const transport = http(`http://127.0.0.1:${port}`)
  const anvil = createTestClient({ mode: 'anvil', transport }).extend(publicActions)
  await vi.waitFor(() => anvil.getChainId(), { timeout: 20_000 })
  const account = privateKeyToAccount(LOCAL_KEY)
  const wallet = createWalletClient({ account, transport, pollingInterval: 20 }).extend(publicActions)
  const receipts = await minedAtOnce(`http://127.0.0.1:${port}`, async () => {
    const mined = []
    for (let sent = 0; sent < 30; sent++) {
      const hash = await wallet.sendTransaction({ chain: null, to: account.address, value: 1n })
      mined.push(await wallet.waitForTransactionReceipt({ hash }))
    }
    return mined
  })
  const { number, timestamp } = await anvil.getBlock()
  expect([number, receipts.at(-1)?.blockNumber]).toEqual([31n, 31n])
  expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1000)
  await vi.waitFor(async () => expect((await anvil.getBlock()).number).toBeGreaterThan(number), { timeout: 20_000 })
})
