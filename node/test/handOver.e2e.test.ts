import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actions } from '#cli/owner/actions.ts'
import { type OwnerSession, openOwner } from '#cli/owner/openOwner.ts'
import { executeOperation } from '#cli/owner/operations.ts'
import { propose } from '#cli/owner/propose.ts'
import { showGovernance } from '#cli/owner/showGovernance.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

/** Anvil's first account, which deployed. */
const DEPLOYER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const guide = join(import.meta.dirname, '../../docs/guides/deploy-the-contracts.md')
/** An account is enough for what a multisig may do. */
const safeKey = generatePrivateKey()
const safe = privateKeyToAddress(safeKey)
let local: LocalChain
let session: OwnerSession

beforeAll(async () => {
  local = await startLocalChain()
  const deployment = await deployContracts(local, 600, undefined, undefined, 0, 'timelock')
  session = await openOwner({ deployment, rpcUrl: local.rpcUrl })
  await local.fund(safe)
}, 60_000)
afterAll(() => local?.stop())

async function run(words: readonly string[], key: Hex): Promise<string | null> {
  const [name = '', ...rest] = words
  const hashOfSpec = () => Promise.reject(new Error('no environment is proposed'))
  const proposal = await actions[name]?.build(rest, { ...session, fromRound: null, hashOfSpec })
  if (proposal === undefined) throw new Error(`no action ${name}`)
  const { state, id } = await propose(session, proposal, { key })
  expect(state).toBe(id === null ? 'done' : 'waiting')
  return id
}

/** The commands of each step that has some, without `npx waggle owner propose`. */
function stepsOfGuide(): string[][][] {
  const text = readFileSync(guide, 'utf8').split('To hand over all powers')[1]?.split('\n## ')[0] ?? ''
  const commands = (block: string) => [...block.matchAll(/npx waggle owner propose (.+)/g)].map(([, line = '']) => line)
  const address: Readonly<Record<string, string>> = { SAFE: safe, DEPLOYER: local.admin.address }
  const words = (line: string) => line.split(' ').map(word => address[word] ?? word)
  const steps = text.split('```').map(block => commands(block).map(words))
  return steps.filter(step => step.length > 0)
}

test("the guide's hand-over leaves the deployer no power, and all of them to the multisig or the timelock", async () => {
  const { timelock } = await showGovernance(session)
  // `hardhat deploy` does this after the creations.
  await run(['grant', 'RewardVotes', 'EVALUATOR_ADMIN_ROLE', timelock], DEPLOYER_KEY)
  await run(['grant', 'RewardVotes', 'DEFAULT_ADMIN_ROLE', timelock], DEPLOYER_KEY)
  await run(['renounce', 'RewardVotes', 'DEFAULT_ADMIN_ROLE', local.admin.address], DEPLOYER_KEY)
  const before = (await showGovernance(session)).powers
  const [grants = [], revocations = [], own = []] = stepsOfGuide()
  for (const [step, key] of [
    [grants, DEPLOYER_KEY],
    [revocations, safeKey],
  ] as const) {
    const ids: (string | null)[] = []
    for (const words of step) ids.push(await run(words, key))
    await local.client.increaseTime({ seconds: 61 })
    await local.client.mine({ blocks: 1 })
    for (const id of ids) await executeOperation(session, id ?? '', key)
  }
  for (const words of own) expect(await run(words, DEPLOYER_KEY)).toBe(null)

  const name = ({ contract, role }: { contract: string; role: string }) => `${contract} ${role}`
  const { powers } = await showGovernance(session)
  const holders = new Set(powers.map(({ holder }) => holder))
  expect(holders).toEqual(new Set([safe, 'TimelockController']))
  expect(new Set(powers.map(name))).toEqual(new Set(before.map(name)))
}, 60_000)
