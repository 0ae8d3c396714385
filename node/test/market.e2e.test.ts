import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erc20Abi, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCli } from './callCli.ts'
import { runCli } from './cliProcess.ts'
import { deployMarket } from './deployMarket.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'
import { refusedCall } from './refusedCall.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-market-'))
const TOKEN = 10n ** 18n
let chain: LocalChain
let env: Record<string, string>
let tokensOf: (account: Hex) => Promise<bigint>

beforeAll(async () => {
  chain = await startLocalChain()
  const { deployment, token, mint } = await deployMarket(chain, await deployContracts(chain, 10_000))
  const balance = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  tokensOf = account => chain.client.readContract({ ...balance, args: [account] })
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  env = { WAGGLE_RPC_URL: chain.rpcUrl, WAGGLE_DEPLOYMENT: record }
  for (const name of ['judge', 'ann', 'ben']) {
    const { stdout } = await callCli(['init', '--data', join(root, name), '--json'])
    const { account } = JSON.parse(stdout)
    await chain.fund(account)
    await mint(account, 100n * TOKEN)
  }
}, 120_000)

afterAll(() => chain?.stop())

/** Runs a command line. @returns its output. */
async function market(who: string, ...argv: string[]) {
  const { code, stdout, stderr } = await callCli(['market', ...argv, '--data', join(root, who), '--json'], env)
  return { code, stderr, said: stdout === '' ? null : JSON.parse(stdout) }
}

test('two accounts play a game from the command line', { timeout: 180_000 }, async () => {
  const plan = join(root, 'game.yaml')
  const clues = ['It is a large number.', 'It is even.']
  // The chain's clock runs on while commands do.
  const times = { startsInSec: 1_000, bettingSec: 1_000, revealSec: 1_000, disputeSec: 1_000 }
  const about = { question: 'Which number?', choices: ['one', 'two', 'three'], clues, answer: 'two' }
  writeFileSync(plan, JSON.stringify({ ...about, ...times }))
  const opened = await market('judge', 'create', '--file', plan)
  expect(opened).toMatchObject({ code: 0, said: { gameId: '0' } })
  // In its own process, in a folder without a peer.
  const nobody = await runCli(['market', 'games', '--json'], env)
  expect(nobody).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(nobody.stdout)).toMatchObject({ owed: null, games: [{ claimable: null, bond: '10' }] })
  const [game] = (await market('ann', 'games')).said.games
  expect(game).toMatchObject({ phase: 'waiting', roundCount: 2, bond: '10', totalStake: '0', claimable: '0' })
  const read = await callCli(['market', 'games'], env)
  expect(read.stdout).toMatch(/^game +state +next +staked +to claim\n0 +waiting +betting opens in 1\d min +0 +·\n/)
  expect(read.stdout).not.toContain(String(game.startsAtSec))
  expect(game.choices).toEqual(Array(3).fill({ stake: '0', price: '1' }))
  const at = (seconds: number) => chain.travelTo(game.startsAtSec + seconds)

  const names = about.choices.map(name => ({ name, stake: '0', price: '1' }))
  expect((await market('ben', 'show', '--game', '0')).said).toMatchObject({
    question: 'Which number?',
    clues: [],
    choices: names,
  })

  await at(1)
  // A call that would revert is given up in the second block.
  const early = await chain.withBlocks(() => market('judge', 'bet', '--game', '0', '--choice', '0', '--stake', '1'))
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('PredictionMarket_JudgeCannotBet') })
  const quote = await market('ann', 'quote', '--game', '0', '--choice', '1', '--stake', '4')
  expect(quote.said).toMatchObject({ price: '1', shares: '4', payout: '4' })
  expect((await market('ann', 'bet', '--game', '0', '--choice', '1', '--stake', '4')).said).toMatchObject({
    shares: '4',
  })
  expect((await market('ben', 'bet', '--game', '0', '--choice', '2', '--stake', '6')).code).toBe(0)

  await at(1_001)
  expect((await market('judge', 'reveal', '--game', '0')).said).toEqual({ gameId: '0', revealed: ['clue 0'] })
  expect((await market('ann', 'show', '--game', '0')).said).toMatchObject({ clues: [clues[0]], totalStake: '10' })
  await at(2_001)
  const late = await market('ben', 'bet', '--game', '0', '--choice', '1', '--stake', '2')
  expect(late).toMatchObject({ code: 0, said: { round: 1 } })
  await at(3_001)
  const last = await market('judge', 'reveal', '--game', '0')
  expect(last.said).toEqual({ gameId: '0', revealed: ['clue 1', 'answer'] })
  await chain.travelTo(game.startsAtSec + 5_000)

  const paid = (await market('ann', 'claim', '--game', '0')).said
  const shares = 4 + Number(late.said.shares)
  // The Judge has 2 % of the 6 that lost.
  const pot = 5.88
  expect(Number(paid.payout)).toBeCloseTo(4 + (pot * 4) / shares, 12)
  const other = (await market('ben', 'claim', '--game', '0')).said
  expect(Number(other.payout)).toBeCloseTo(2 + (pot * Number(late.said.shares)) / shares, 12)
  const ended = (await market('judge', 'games')).said
  // No bet can come, so there is no price; the Judge's bond waits for it.
  expect(ended).toMatchObject({ owed: '10.12', games: [{ phase: 'resolved', answer: 1, claimable: '0' }] })
  expect(ended.games[0].choices.map(({ price }: { price: unknown }) => price)).toEqual([null, null, null])
  const judged = await tokensOf(ended.games[0].judge)
  expect((await market('judge', 'withdraw')).said).toMatchObject({ amount: '10.12', block: expect.any(Number) })
  expect(await tokensOf(ended.games[0].judge)).toBe(judged + parseEther('10.12'))
  expect((await market('judge', 'withdraw')).said).not.toHaveProperty('hash')
  const none = await market('ann', 'bet', '--game', '7', '--choice', '0', '--stake', '1')
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The call would revert: \w+_UnknownGame\(7, 1\)/),
  })
})

test('an impossible call to the market is refused before anything is sent', async () => {
  const cases: [argv: string[], message: string][] = [
    [['dance'], "Unknown action 'dance'"],
    [['bet', '--game', '0', '--choice', 'two', '--stake', '1'], "--choice must be a number, not 'two'"],
    [['bet', '--game', '0', '--choice', '1', '--stake', '-1'], '--stake'],
    [['claim'], '--game is required'],
    [['create'], '--file is required'],
    [['create', '--file', join(root, 'nothing.yaml')], 'nothing.yaml does not exist'],
  ]
  const flags = ['--data', join(root, 'ann'), '--rpc', chain.rpcUrl, '--deployment', join(root, 'deployment.json')]
  for (const [argv, message] of cases) expect(await refusedCall(['market', ...argv, ...flags])).toContain(message)
})
