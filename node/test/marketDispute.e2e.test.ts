import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChain } from '#chain/openChain.ts'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { runCli } from './cliProcess.ts'
import { deployMarket } from './deployMarket.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-dispute-'))
const ROUND_SECONDS = 10_000
const TOKEN = 10n ** 18n
const stop = new AbortController()
let chain: LocalChain
let env: Record<string, string>

beforeAll(async () => {
  chain = await startLocalChain()
  const { deployment, mint } = await deployMarket(chain, await deployContracts(chain, ROUND_SECONDS))
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  env = { WAGGLE_RPC_URL: chain.rpcUrl, WAGGLE_DEPLOYMENT: record }
  for (const name of ['judge', 'ann', 'ben']) {
    const { address } = await openIdentity(join(root, name))
    await chain.fund(address)
    await mint(address, 100n * TOKEN)
  }
  for (const name of ['seat-1', 'seat-2']) await seat(name, deployment)
}, 120_000)

afterAll(() => {
  stop.abort()
  return chain?.stop()
})

/** Registers a peer by its key and seats it as an evaluator from the next round on. */
async function seat(name: string, deployment: Deployment): Promise<void> {
  const { address, accountKey, peerKey, signer } = await openIdentity(join(root, name))
  await chain.fund(address)
  const outbox = createOutboxTable(openDatabase(':memory:'))
  const ambient = { clock: systemClock, logger: silentLogger, signal: stop.signal, pollMs: 10 }
  const common = { rpcUrl: chain.rpcUrl, deployment, accountKey, peerKey, signer, outbox }
  const peer = await openChain({ ...common, ...ambient })
  expect(await peer.registerPeer()).toMatchObject({ status: 'mined' })
  const { address: votes, abi } = peer.contracts.rewardVotes
  const admit = { address: votes, abi, functionName: 'admitEvaluator', args: [peerKey] } as const
  await chain.client.writeContract({ ...admit, account: chain.admin, chain: null })
}

/** What a person types, and what comes back. */
async function market(who: string, ...argv: string[]) {
  const { code, stdout, stderr } = await runCli(['market', ...argv, '--data', join(root, who), '--json'], env)
  return { code, stderr, said: stdout === '' ? null : JSON.parse(stdout) }
}

const game = ['--game', '0']

// Some fifteen processes; on a busy machine each takes seconds.
test('a false answer is disputed, judged by seats of the swarm, and costs the Judge its bond', {
  timeout: 180_000,
}, async () => {
  const { timestamp } = await chain.client.getBlock()
  await chain.travelTo(Number(timestamp) + ROUND_SECONDS)
  const plan = join(root, 'game.yaml')
  const about = { question: 'Which?', choices: ['one', 'two'], clues: ['Either.'], answer: 'one' }
  const times = { startsInSec: 100, bettingSec: 100, revealSec: 100, disputeSec: 100 }
  writeFileSync(plan, JSON.stringify({ ...about, ...times, bond: '10' }))
  expect((await market('judge', 'create', '--file', plan)).said).toMatchObject({ gameId: '0' })
  const { startsAtSec } = (await market('ann', 'games')).said.games[0]

  await chain.travelTo(startsAtSec + 1)
  const bet = (who: string, choice: string) => market(who, 'bet', ...game, '--choice', choice, '--stake', '4')
  expect(await Promise.all([bet('ann', '0'), bet('ben', '1')])).toMatchObject([{ code: 0 }, { code: 0 }])
  await chain.travelTo(startsAtSec + 101)
  expect((await market('judge', 'reveal', ...game)).said).toMatchObject({ revealed: ['clue 0', 'answer'] })

  expect(await market('ben', 'dispute', ...game)).toMatchObject({ code: 0, said: { bond: '10' } })
  await chain.client.mine({ blocks: 3 })
  expect((await market('ann', 'draw', ...game)).code).toBe(0)
  const stranger = await market('ann', 'verdict', ...game, '--choice', '0')
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('other seats') })
  const verdicts = () => Promise.all(['seat-1', 'seat-2'].map(who => market(who, 'verdict', ...game, '--choice', '1')))
  expect(await verdicts()).toMatchObject([{ said: { step: 'committed' } }, { said: { step: 'committed' } }])
  const [disputed] = (await market('ann', 'games')).said.games
  expect(disputed).toMatchObject({ phase: 'disputed', answer: 0 })

  await chain.travelTo(Number((await chain.client.getBlock()).timestamp) + 100)
  expect(await verdicts()).toMatchObject([{ said: { step: 'revealed' } }, { said: { step: 'revealed' } }])
  await chain.travelTo(Number((await chain.client.getBlock()).timestamp) + 100)
  const won = Number((await market('ben', 'claim', ...game)).said.payout)
  expect(won).toBeGreaterThanOrEqual(8)
  expect((await market('ann', 'games')).said.games[0]).toMatchObject({ phase: 'resolved', answer: 1 })
  const lost = await market('ann', 'claim', ...game)
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to be claimed') })
  const status = await runCli(['status', '--data', join(root, 'ben')], env)
  expect(status.stdout).toMatch(/^owed {7}10 \w+ by the market: npx waggle market withdraw$/m)
  // The disputer has its own bond back; the seats divide their part of the Judge's.
  for (const who of ['ben', 'seat-1', 'seat-2']) expect((await market(who, 'withdraw')).code).toBe(0)
})
