import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { swarmCoordinatorAbi } from '@waggle/deployments/abi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCli } from './callCli.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

/** Anvil's first account, which deployed. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const root = mkdtempSync(join(tmpdir(), 'waggle-leaderboard-'))
const [record, file] = [join(root, 'deployment.json'), join(root, 'leaderboard.json')]
let local: LocalChain
let coordinator: { address: `0x${string}`; abi: typeof swarmCoordinatorAbi }
let env: Record<string, string>

beforeAll(async () => {
  local = await startLocalChain()
  const deployment = await deployContracts(local, 600)
  writeFileSync(record, JSON.stringify(deployment))
  coordinator = { address: deployment.contracts.SwarmCoordinator.address, abi: swarmCoordinatorAbi }
  env = { WAGGLE_DEPLOYER_KEY: KEY, WAGGLE_RPC_URL: local.rpcUrl, WAGGLE_DEPLOYMENT: record }
}, 60_000)
afterAll(() => local?.stop())

type Write = { functionName: 'registerPeer' | 'submitReward' | 'submitWinners'; args: readonly unknown[] }
const claim = (call: Write) =>
  local.mined(local.client.writeContract({ ...coordinator, ...call, account: local.admin, chain: null } as never))

const waggle = (...argv: string[]) => callCli(['leaderboard', ...argv], env)
const said = async (...argv: string[]) => {
  const { stdout, stderr } = await waggle(...argv, '--json')
  return stdout === '' ? stderr : JSON.parse(stdout)
}
const importedOf = (peerId: string) =>
  local.client.readContract({ ...coordinator, functionName: 'importedOf', args: [peerId] })

test("RL Swarm's leaderboard is read from its chain, proposed, and imported once the delay has passed", async () => {
  // Upstream's interface, and so a stand-in for it: peers, rewards and wins are claims of whoever calls.
  for (const peerId of ['QmLow', 'QmNothing', 'QmHigh']) await claim({ functionName: 'registerPeer', args: [peerId] })
  await claim({ functionName: 'submitReward', args: [0n, 0n, -5n, 'QmLow'] })
  await claim({ functionName: 'submitReward', args: [0n, 0n, 70n, 'QmHigh'] })
  await claim({ functionName: 'submitWinners', args: [0n, ['QmHigh', 'QmLow'], 'QmLow'] })
  await local.client.mine({ blocks: 20 })

  const source = ['--from', local.rpcUrl, '--coordinator', coordinator.address]
  expect(await said('read', file, ...source)).toMatchObject({ chainId: 31337, rows: 2, unfit: 0, beyondLimit: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8')).rows).toEqual([
    { peerId: 'QmHigh', rewards: '70', wins: '1' },
    { peerId: 'QmLow', rewards: '-5', wins: '1' },
  ])
  expect(await said('read', join(root, 'one.json'), ...source, '--limit', '1')).toMatchObject({
    rows: 1,
    beyondLimit: 1,
  })

  const stateOf = async (...argv: string[]) => (await said('import', file, ...argv)).pages[0].state
  expect(await stateOf('--dry-run')).toBe('missing')
  expect(await stateOf()).toBe('waiting')
  expect(await stateOf()).toBe('waiting')
  await local.client.increaseTime({ seconds: 61 })
  await local.client.mine({ blocks: 1 })
  expect(await stateOf('--dry-run')).toBe('ready')
  expect(await importedOf('QmHigh')).toEqual([false, 0n, 0n])
  expect(await stateOf()).toBe('imported')
  expect(await importedOf('QmHigh')).toEqual([true, 70n, 1n])
  expect((await said('import', file)).pages).toEqual([
    { first: 0, rows: 2, state: 'imported', readyAtSec: null, hash: null },
  ])
})

test('a file that is not a leaderboard, a dead endpoint and a late proposal are refused in one line, before anything is sent', async () => {
  const other = join(root, 'other.json')
  writeFileSync(
    other,
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), rows: [{ peerId: 'QmNew', rewards: '1', wins: 'x' }] }),
  )
  expect(await said('import', other)).toMatch(/is not a leaderboard .*rows.*\[LEADERBOARD_FILE\]/s)
  expect(await said('import', join(root, 'none.json'))).toMatch(/LEADERBOARD_FILE/)
  expect(await said('read', other, '--from', 'http://127.0.0.1:1', '--coordinator', coordinator.address)).toMatch(
    /\[CHAIN_/,
  )
  expect(await said('read', other, '--from', local.rpcUrl, '--coordinator', 'x')).toMatch(
    /--coordinator is not an address/,
  )
  writeFileSync(other, readFileSync(file, 'utf8').replaceAll('Qm', 'QmOf'))
  await local.client.increaseTime({ seconds: 1_700 })
  await local.client.mine({ blocks: 1 })
  expect(await said('import', other)).toMatch(/round 3 begins at .*\[IMPORT_TOO_LATE\]/s)
})
