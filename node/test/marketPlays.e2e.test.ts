import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGame, readMarketCredit } from '#chain/games/readGame.ts'
import { openChain } from '#chain/openChain.ts'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import type { Games } from '#environments/games.ts'
import { type Bettor, createGameChooser, playGames } from '#roles/bettor/betOnGames.ts'
import { judgeOpenDisputes } from '#roles/evaluator/startEvaluator.ts'
import { type MarketSession, openMarketSession } from '#roles/games/marketSession.ts'
import type { GameRules } from '#roles/games/playedGame.ts'
import { findOwnGames, judgeGames, ownGames } from '#roles/judge/judge.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { deployMarket } from './deployMarket.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-plays-'))
const ROUND_SECONDS = 10_000
const TOKEN = 10n ** 18n
const stop = new AbortController()
const sessions: MarketSession[] = []
let chain: LocalChain
let deployment: Deployment
let mint: (to: Hex, amount: bigint) => Promise<unknown>
let rules: GameRules

beforeAll(async () => {
  chain = await startLocalChain()
  ;({ deployment, mint } = await deployMarket(chain, await deployContracts(chain, ROUND_SECONDS)))
  const { starter } = await loadEnvironments()
  rules = { games: starter.games as Games, hash: starter.hash }
}, 120_000)

afterAll(async () => {
  await Promise.all(sessions.map(session => session.close()))
  stop.abort()
  await chain?.stop()
})

async function sessionOf(name: string): Promise<MarketSession> {
  const data = join(root, name)
  const identity = await openIdentity(data)
  await chain.fund(identity.address)
  await mint(identity.address, 100n * TOKEN)
  const session = await openMarketSession({ data, deployment, rpcUrl: chain.rpcUrl, identity })
  sessions.push(session)
  return session
}

/** Registers a peer by its key and seats it as an evaluator from the next round on. */
async function seat(name: string): Promise<MarketSession> {
  const { address, accountKey, peerKey, signer } = await openIdentity(join(root, name))
  await chain.fund(address)
  const outbox = createOutboxTable(openDatabase(':memory:'))
  const ambient = { clock: systemClock, logger: silentLogger, signal: stop.signal, pollMs: 10 }
  const peer = await openChain({ rpcUrl: chain.rpcUrl, deployment, accountKey, peerKey, signer, outbox, ...ambient })
  expect(await peer.registerPeer()).toMatchObject({ status: 'mined' })
  const { address: votes, abi } = peer.contracts.rewardVotes
  const admit = { address: votes, abi, functionName: 'admitEvaluator', args: [peerKey] } as const
  await chain.mined(chain.client.writeContract({ ...admit, account: chain.admin, chain: null }))
  return sessionOf(name)
}

/** Sure of one choice of a game, whatever is revealed of it. */
function bettor(session: MarketSession, sureOf: number): Bettor {
  const believe: Bettor['believe'] = async ({ choices }) =>
    choices.map((_, choice) => (choice === sureOf ? 0.97 : 0.03 / (choices.length - 1)))
  return { session, rules, logger: silentLogger, believe, perGame: 2 }
}

test('a market plays itself: the Judge keeps its promises, bettors bet and are paid, and a false answer costs the bond', {
  timeout: 120_000,
}, async () => {
  const [judge, ann, ben] = [await sessionOf('judge'), await sessionOf('ann'), await sessionOf('ben')]
  const seats = [await seat('seat-1'), await seat('seat-2')]
  await chain.travelTo(Number((await chain.client.getBlock()).timestamp) + ROUND_SECONDS)
  const seed: Hex = `0x${'5e'.repeat(32)}`
  const { answer, choices, clues } = rules.games.draw(seed)
  const wrong = (answer + 1) % choices.length
  const honest = { session: judge, rules, logger: silentLogger, drawSeed: () => seed }
  const balance = async (session: MarketSession) => (await session.token()).balance
  const bettors = [bettor(ann, answer), bettor(ben, wrong)]

  /** Plays a game from its opening until its answer is proven, and may be disputed. */
  async function play(modules: typeof honest, gameId: bigint) {
    await judgeGames(modules, 1_000)
    const game = await readGame(judge.client, judge.contracts, gameId)
    expect(game).toMatchObject({ judge: modules.session.account, phase: 'waiting', roundCount: clues.length })
    for (let round = 0; round < game.roundCount; round++) {
      const opensAtSec = game.startsAtSec + round * (game.bettingSec + game.revealSec)
      await chain.travelTo(opensAtSec + 1)
      // A second poll in a round places no second bet.
      for (const one of [...bettors, ...bettors]) await playGames(one, await createGameChooser(one.session)(1_000))
      await chain.travelTo(opensAtSec + game.bettingSec + 1)
      await judgeGames(modules, 1_000)
    }
    for (const one of bettors) await playGames(one, await createGameChooser(one.session)(1_000))
    return readGame(judge.client, judge.contracts, gameId)
  }

  const fair = await play(honest, 0n)
  expect(fair).toMatchObject({ phase: 'disputable', answer, cluesRevealed: clues.length })
  const staked = fair.choices.map(({ stake }) => stake)
  expect(staked.filter(stake => stake > 0n)).toHaveLength(2)
  expect(staked.every(stake => stake <= 2n * TOKEN)).toBe(true)
  const later = async (seconds: number) => chain.travelTo(Number((await chain.client.getBlock()).timestamp) + seconds)
  await later(fair.disputeSec + 1)
  // Nobody doubted it. Its bond comes back; that of the next game, which was open meanwhile, stays.
  expect(await balance(judge)).toBe(90n * TOKEN)
  await judgeGames(honest, 1_000)
  const fee = ((staked[wrong] as bigint) * 200n) / 10_000n
  expect(await balance(judge)).toBe(95n * TOKEN + fee)
  expect(await readGame(judge.client, judge.contracts, 0n)).toMatchObject({ phase: 'resolved' })
  for (const one of bettors) await playGames(one, await createGameChooser(one.session)(1_000))
  // Ben's loss is the gain of Ann and the Judge: the market keeps and makes nothing. Both bet on the next game by now.
  const next = (await readGame(judge.client, judge.contracts, 1n)).choices.map(({ stake }) => stake)
  expect(await balance(ann)).toBe(100n * TOKEN + (staked[wrong] as bigint) - fee - (next[answer] as bigint))
  expect(await balance(ben)).toBe(100n * TOKEN - (staked[wrong] as bigint) - (next[wrong] as bigint))

  // A restart that forgot its games finds them again, and no one else's.
  judge.journal.setState('judged games', null)
  for (const session of [judge, ann]) await findOwnGames(session)
  expect([ownGames(judge), ownGames(ann)]).toEqual([['0', '1'], []])

  // One that has the last clue say what was drawn, and another answer.
  const lies: Games = { ...rules.games, draw: drawn => ({ ...rules.games.draw(drawn), answer: wrong }) }
  const liar = { ...honest, session: await sessionOf('liar'), rules: { ...rules, games: lies } }
  expect(await play(liar, 2n)).toMatchObject({ phase: 'disputed', answer: wrong })
  await chain.client.mine({ blocks: 3 })
  for (const session of seats) await judgeOpenDisputes({ session, rules, logger: silentLogger }, 100)
  for (const session of seats) await judgeOpenDisputes({ session, rules, logger: silentLogger }, 100)
  await later(fair.disputeSec)
  for (const session of seats) await judgeOpenDisputes({ session, rules, logger: silentLogger }, 100)
  await later(fair.disputeSec)
  await judgeGames(liar, 1_000)
  expect(await readGame(judge.client, judge.contracts, 2n)).toMatchObject({ phase: 'resolved', answer })
  for (const session of [ann, ...seats])
    expect(await readMarketCredit(session.client, session.contracts, session.account)).toBeGreaterThan(0n)
})
