import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createTestClient, http, numberToHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../base/freePorts.ts'
import { startChain } from './chain.ts'
import { keptPath } from './keepChainState.ts'
import { Supervisor } from './supervisor.ts'

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
  /** What BLOCKHASH gives: of code that runs as a constructor and returns it. */
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
