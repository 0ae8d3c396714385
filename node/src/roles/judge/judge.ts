import { randomBytes } from 'node:crypto'
import { bytesToHex, parseUnits } from 'viem'
import { z } from 'zod'
import { callChain } from '#chain/callChain.ts'
import { readOpenedGames } from '#chain/games/gameEvents.ts'
import { marketKeys } from '#chain/games/marketIntent.ts'
import { type GamePhase, readMarketCredit } from '#chain/games/readGame.ts'
import type { Seed } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { everyRound } from '../duties/everyRound.ts'
import type { MarketSession } from '../games/marketSession.ts'
import { cluesWithSeed, type GameRules, readPhase, rulesOfGames } from '../games/playedGame.ts'
import { act, openGame, reveal, withdraw } from '../games/playMarket.ts'
import { POLLS_PER_ROUND, sessionOfNode, watchGames } from '../games/watchGames.ts'
import type { PeerNode } from '../peerNode.ts'

/** The Judge's bond in Nectar: more than solvers stake on a game by default. */
const BOND = '5'
/** The Judge's fee on losing stakes, in ten-thousandths. */
const FEE_BPS = 200

const takesBets: ReadonlySet<GamePhase> = new Set(['waiting', 'betting', 'awaiting clue'])
const ended: ReadonlySet<GamePhase> = new Set(['resolved', 'void'])

/** Opens games on questions of the swarm's environment, in sequence, and meets every deadline of its games. */
export async function runJudge(node: PeerNode, data: string): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null) return node.logger.warn('this environment has no questions for the market: nothing to judge')
  const session = sessionOfNode(node, data)
  const { chain, logger } = node
  const openings = () => chain.outcomesOf(marketKeys('createGame'))
  const judge = createJudge({ session, rules, logger, drawSeed, openings })
  await Promise.all([watchGames(node, judge), everyRound(node, async () => {})])
}

const drawSeed = (): Seed => bytesToHex(randomBytes(32))

type JudgeModules = { session: MarketSession; rules: GameRules; logger: Logger; drawSeed: () => Seed }

/**
 * Polls the market for a Judge. A failed poll, or an earlier start, may have opened a game without noting it, which would cost its bond. So the next
 * poll searches for it.
 *
 * @param openings - waits for the games that are being opened: the search finds those in blocks.
 */
export function createJudge(
  modules: JudgeModules & { openings: () => Promise<unknown> },
): (roundSec: number) => Promise<void> {
  const { session, logger, openings } = modules
  let [isFirst, isKnown] = [true, false]
  return async roundSec => {
    if (!isKnown) await openings()
    if (!isKnown) await findOwnGames(session)
    if (isFirst && !(await canBond(session)))
      logger.warn(`no game begins before this account has ${BOND} Nectar for the bond`)
    isFirst = false
    isKnown = false
    await judgeGames(modules, roundSec)
    isKnown = true
  }
}

/** Takes the due steps in the Judge's games, and opens the next before the last one takes its last bets. */
export async function judgeGames(modules: JudgeModules, roundSec: number): Promise<void> {
  const { session, logger } = modules
  const open: string[] = []
  const running: bigint[] = []
  let isUnknown = false
  for (const gameId of ownGames(session)) {
    // A game whose secrets or answers cannot be read must not cost the bonds of the others. No game is opened meanwhile.
    const phase = await keepPromise(modules, BigInt(gameId)).catch(error => {
      logger.warn('a promise in a game could not be kept', { gameId, error })
      return null
    })
    if (phase === null || !ended.has(phase)) open.push(gameId)
    isUnknown ||= phase === null
    if (phase !== null && takesBets.has(phase)) running.push(BigInt(gameId))
  }
  keepOwnGames(session, open)
  if ((await readMarketCredit(session.client, session.contracts, session.account)) > 0n)
    logger.info('bonds and fees returned', { amount: (await withdraw(session)).amount })
  if (isUnknown || !(await isDue(session, running, roundSec))) return
  if (await canBond(session)) await openNext(modules, roundSec)
}

async function isDue({ client, contracts }: MarketSession, running: bigint[], roundSec: number): Promise<boolean> {
  const schedules = running.map(gameId =>
    client.rpc.readContract({ ...contracts.predictionMarket, functionName: 'gameOf', args: [gameId] }),
  )
  const [{ timestamp }, ...games] = await callChain(client.rpcUrl, () =>
    Promise.all([client.rpc.getBlock(), ...schedules]),
  )
  return isNextDue(
    games.map(({ config }) => config),
    Number(timestamp),
    roundSec,
  )
}

/** @returns the game's phase afterwards. */
async function keepPromise({ session, logger }: JudgeModules, gameId: bigint): Promise<GamePhase> {
  const phase = await readPhase(session, gameId)
  if (phase === 'awaiting clue' || phase === 'awaiting answer') {
    const { revealed } = await reveal(session, gameId)
    logger.info('revealed', { gameId: String(gameId), revealed })
  }
  if (phase === 'resolution due') {
    await act(session, 'resolve', gameId)
    logger.info('game ended', { gameId: String(gameId) })
  }
  return readPhase(session, gameId)
}

async function canBond(session: Pick<MarketSession, 'token'>): Promise<boolean> {
  const { balance, decimals } = await session.token()
  return balance >= parseUnits(BOND, decimals)
}

async function openNext({ session, rules, logger, drawSeed }: JudgeModules, roundSec: number): Promise<void> {
  const seed = drawSeed()
  const question = rules.games.draw(seed)
  const { client, contracts } = session
  const call = { ...contracts.predictionMarket, functionName: 'minDisputeSec' } as const
  const leastDisputeSec = await callChain(client.rpcUrl, () => client.rpc.readContract(call))
  const { gameId } = await openGame(session, {
    question: question.question,
    choices: question.choices,
    clues: cluesWithSeed(question, seed),
    answer: question.choices[question.answer] ?? '',
    environment: rules.hash,
    ...gameTimes(roundSec),
    disputeSec: Math.max(leastDisputeSec, roundSec),
    minBet: '0.01',
    freeShares: '0.1',
    bond: BOND,
    feeBps: FEE_BPS,
  })
  keepOwnGames(session, [...ownGames(session), gameId])
  logger.info('game opened', { gameId, question: question.question })
}

const STATE = 'judged games'
/** Older versions kept a list of only the newest games; it is not read, so that all games are searched for. */
const schema = z.object({ ids: z.array(z.string()), cursor: z.number().nullable() }).catch({ ids: [], cursor: null })

type Journal = Pick<MarketSession, 'journal'>

/** Known games of this Judge that have not ended. */
export const ownGames = ({ journal }: Journal): string[] => schema.parse(journal.getState(STATE)).ids

/** Notes the open games. */
export function keepOwnGames({ journal }: Journal, ids: readonly string[]): void {
  journal.setState(STATE, { ...schema.parse(journal.getState(STATE)), ids: [...ids] })
}

/** Searches for games that this Judge opened and did not note: a stop between the opening of a game and its note would leave a bond without a Judge. */
export async function findOwnGames({ client, contracts, account, journal }: MarketSession): Promise<void> {
  const kept = schema.parse(journal.getState(STATE))
  const { gameIds, cursor } = await readOpenedGames(client, contracts, account, kept.cursor)
  journal.setState(STATE, { ids: [...new Set([...kept.ids, ...gameIds.map(String)])], cursor })
}

/** Time for a few blocks, even if a round is short: a late reveal forfeits the bond, and a game that is opened late is refused. */
const LEAST_SEC = 15

type Schedule = { startsAtSec: number; roundCount: number; bettingSec: number; revealSec: number }

/** How long the steps of a Judge's games take, by the length of a round. */
export function gameTimes(roundSec: number) {
  const patientSec = Math.max(LEAST_SEC, Math.ceil(roundSec / 2))
  return { startsInSec: patientSec, bettingSec: roundSec, revealSec: patientSec }
}

/**
 * Whether the next game has to be opened now, so that it takes its first bets before the last game takes its last.
 *
 * @param running - those that take bets, now or later.
 */
export function isNextDue(running: readonly Schedule[], nowSec: number, roundSec: number): boolean {
  // One poll to notice that it is due, and one in case a poll fails.
  const leadSec = gameTimes(roundSec).startsInSec + (2 * roundSec) / POLLS_PER_ROUND
  return running.every(game => lastBetSec(game) - leadSec <= nowSec)
}

/** When the betting of the last round ends. */
const lastBetSec = ({ startsAtSec, roundCount, bettingSec, revealSec }: Schedule): number =>
  startsAtSec + (roundCount - 1) * (bettingSec + revealSec) + bettingSec
