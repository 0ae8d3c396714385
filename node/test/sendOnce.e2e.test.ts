import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIdentity } from '#store/identity.ts'
import { runCli, startCli } from './cliProcess.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const RECEIVER = '0x00000000000000000000000000000000000a11ce'
const TENTH = 10n ** 17n

let chain: LocalChain
let data: string
let env: Record<string, string>

beforeAll(async () => {
  chain = await startLocalChain()
  data = mkdtempSync(join(tmpdir(), 'waggle-send-'))
  const { address } = await openIdentity(data)
  await chain.fund(address)
  const record = join(data, 'deployment.json')
  writeFileSync(record, JSON.stringify(await deployContracts(chain)))
  env = { WAGGLE_RPC_URL: chain.rpcUrl, WAGGLE_DEPLOYMENT: record }
})
afterAll(() => chain?.stop())

const argv = ['send', RECEIVER, '0.1', '--coin', '--data']
const received = () => chain.client.getBalance({ address: RECEIVER })
const waiting = async () => (await chain.client.getTxpoolStatus()).pending

test('a transfer whose command was killed between broadcast and receipt is sent once', async () => {
  await chain.client.setAutomine(false)
  const killed = startCli([...argv, data], env)
  await expect.poll(waiting, { timeout: 30_000 }).toBe(1)
  await killed.kill()
  await chain.client.mine({ blocks: 1 })
  await chain.client.setAutomine(true)
  expect(await received()).toBe(TENTH)

  const { code, stdout, stderr } = await runCli([...argv, data, '--json'], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ sent: '0.1', note: expect.stringContaining('no second one') })
  expect(await received()).toBe(TENTH)
})
