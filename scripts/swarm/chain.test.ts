import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createTestClient, http, numberToHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../freePorts.ts'
import { startChain } from './chain.ts'
import { Supervisor } from './supervisor.ts'

test('a chain that is resumed gives contracts the hashes that its blocks have', async () => {
  const data = await mkdtemp(join(tmpdir(), 'waggle-chain-'))
  const supervisor = new Supervisor(join(data, 'logs'), join(data, 'processes.json'))
  onTestFinished(async () => {
    await supervisor.stopAll([''])
    await rm(data, { recursive: true })
  })
  const port = await freePort()
  const transport = http(`http://127.0.0.1:${port}`)
  const [rpc, anvil] = [createPublicClient({ transport }), createTestClient({ mode: 'anvil', transport })]
  /** What BLOCKHASH gives: of code that runs as a constructor and returns it. */
  const hashOf = async (blockNumber: bigint) =>
    (await rpc.call({ data: `0x63${numberToHex(blockNumber, { size: 4 }).slice(2)}405f5260205ff3` })).data

  const start = () => startChain(supervisor, { port, data, onExit() {} }, new AbortController().signal)
  await start()
  await anvil.mine({ blocks: 5 })
  const { number, hash } = await rpc.getBlock({ blockNumber: 4n })
  expect(await hashOf(number)).toBe(hash)
  await supervisor.stopAll([''])
  await start()
  expect((await rpc.getBlock({ blockNumber: number })).hash).toBe(hash)
  expect(await hashOf(number)).toBe(hash)
})
