import { formatUnits } from 'viem'
import { callChain } from '#chain/callChain.ts'
import {
  type GamePhase,
  gamePhases,
  readClaimable,
  readGame,
  readGameCount,
  readStaked,
} from '#chain/games/readGame.ts'
import type { Logger } from '#core/logger.ts'
import { sizeBet } from '#market/sizeBet.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { MarketSession } from '../games/marketSession.ts'
import {
  type GameRules,
  isLongGame,
  type PlayedGame,
  readPhase,
  readPlayedGame,
  rulesOfGames,
  truthOf,
} from '../games/playedGame.ts'
import { act, claim, dispute, placeBet } from '../games/playMarket.ts'
import { sessionOfNode, watchGames } from '../games/watchGames.ts'
import type { PeerNode } from '../peerNode.ts'
import { bondsOfOthers, noteBet, ownBets, riskLeft } from './ownBets.ts'
import { type Believer, createBeliever } from './readBelief.ts'

/** Tokens: bets are of whole millionths. */
const LEAST_BET = 1e-6
/** Tokens that others are expected to add to each choice, as a multiple of this bettor's budget: otherwise nobody would bet first. */
const EXPECTED_BUDGETS = 0.1

/**
 * Bets on the market's games by the policy's beliefs, until the node stops.
 *
 * @param perGame - most Nectar that it stakes on a game, and that it loses in a day beyond what it won of the same Judge (`riskLeft`).
 */
export async function betOnGames(
  node: PeerNode,
  policy: Pick<PolicyClient, 'logprobs'>,
  { data, perGame }: { data: string; perGame: number },
): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null || perGame === 0) return
  const { logger } = node
  const bettor = {
    session: sessionOfNode(node, data),
    rules,
    logger,
    believe: createBeliever(rules.games, policy),
    perGame,
  }
  const choose = createGameChooser(bettor.session)
  await watchGames(node, async roundSec => playGames(bettor, await choose(roundSec)))
}

export type Bettor = { session: MarketSession; rules: GameRules; logger: Logger; believe: Believer; perGame: number }

/**
 * Takes the due steps in chosen games, and in those with its own bets until they end: bets, claims, and disputes a wrong answer.
 */
export async function playGames(bettor: Bettor, chosen: readonly bigint[]): Promise<void> {
  const { session, logger } = bettor
  const bets = ownBets(session)
  const open = Object.keys(bets).filter(gameId => !bets[gameId]?.isOver)
  for (const gameId of new Set([...open.map(BigInt), ...chosen.filter(one => !bets[String(one)]?.isOver)])) {
    const phase = await readPhase(session, gameId)
    // A game that fails must not affect the others.
    await duties[phase]?.(bettor, gameId).catch(error =>
      logger.warn('a game of the market could not be continued', { gameId: String(gameId), phase, error }),
    )
  }
}

type Duty = (bettor: Bettor, gameId: bigint) => Promise<void>

const duties: Partial<Record<GamePhase, Duty>> = {
  betting: bet,
  disputable: checkAnswer,
  disputed: releaseBond,
  'resolution due': takeWinnings,
  resolved: takeWinnings,
  void: takeWinnings,
}

async function bet({ session, rules, logger, believe, perGame }: Bettor, gameId: bigint): Promise<void> {
  const game = await readGame(session.client, session.contracts, gameId)
  const bets = ownBets(session)
  const own = bets[String(gameId)]
  if (game.judge === session.account || own?.round === game.round) return
  const { balance, decimals } = await session.token()
  const tokens = (amount: bigint) => Number(formatUnits(amount, decimals))
  const minBet = Math.max(LEAST_BET, tokens(game.minBet))
  const bond = tokens(game.bond)
  const budget = Math.min(
    perGame - (own?.staked ?? 0),
    riskLeft(bets, game.judge, await chainTime(session), perGame),
    // A false answer stands if nobody can afford a dispute.
    tokens(balance) - bond - bondsOfOthers(bets, gameId),
    // A Judge could take all stakes at the price of its bond.
    bond - tokens(game.totalStake),
  )
  if (budget < minBet) return
  const played = await readPlayedGame(session, rules, gameId)
  // Without a clue that others have seen, it would bet at a disadvantage.
  if (typeof played === 'string' || played.clues.length < game.round) return
  const belief = await believe(played.asked, played.clues)
  const pools = game.choices.map(({ stake, shares, price }) => ({
    ...{ stake: tokens(stake), shares: tokens(shares), price: Number(formatUnits(price, 18)) },
  }))
  const fee = game.feeBps / 10_000
  const rule = { budget, minBet, fee, expected: perGame * EXPECTED_BUDGETS }
  const sized = belief && sizeBet(belief, pools, rule)
  if (!sized) return
  const stake = sized.stake.toFixed(6)
  const about = { gameId: String(gameId), round: game.round, choice: sized.choice, stake }
  const staked = (own?.staked ?? 0) + Number(stake)
  const { judge, round } = game
  noteBet(session, gameId, { staked, bond, judge, round, paid: 0, isOver: false, endedAtSec: 0 })
  // One bet a round, however often the node stops.
  const once = { ...session, id: () => `${gameId}:${game.round}` }
  const { shares } = await placeBet(once, gameId, sized.choice, stake)
  logger.info('bet', { ...about, shares, belief: belief.map(one => Number(one.toFixed(3))) })
}

/** A bettor checks the question once its seed is known. */
async function checkAnswer({ session, rules, logger }: Bettor, gameId: bigint): Promise<void> {
  const own = ownBets(session)[String(gameId)]
  const played = own && (await readPlayedGame(session, rules, gameId))
  if (!played || typeof played === 'string') return
  if (truthOf(rules, played) !== played.game.answer) {
    if ((await session.token()).balance < played.game.bond)
      return logger.warn('an answer is false, and the account has too little for the bond of a dispute', about(played))
    await dispute({ ...session, id: () => String(gameId) }, gameId)
    logger.info('answer disputed', about(played))
  }
  await releaseBond({ session }, gameId)
}

/** A right answer needs no dispute, and a game has one at most. */
async function releaseBond({ session }: Pick<Bettor, 'session'>, gameId: bigint): Promise<void> {
  const own = ownBets(session)[String(gameId)]
  if (own !== undefined) noteBet(session, gameId, { ...own, bond: 0 })
}

async function takeWinnings({ session, logger }: Bettor, gameId: bigint): Promise<void> {
  const own = ownBets(session)[String(gameId)]
  if (own === undefined) return
  // The Judge resolves its games; if it is gone, a bettor does, and claims with the next poll.
  if ((await readPhase(session, gameId)) === 'resolution due') return void (await act(session, 'resolve', gameId))
  const due = await readClaimable(session.client, session.contracts, gameId, session.account)
  const result = due === 0n && own.paid > 0 ? own : { ...own, ...(await readResult(session, gameId, due)) }
  if (due > 0n) {
    // Before the claim, after which nothing tells of it.
    noteBet(session, gameId, result)
    const { payout } = await claim(session, gameId)
    logger.info('bet paid', { gameId: String(gameId), payout })
  }
  noteBet(session, gameId, { ...result, isOver: true, endedAtSec: await chainTime(session) })
}

/** The stakes that are on the chain: a bet is noted before it is sent, and may have been refused. */
async function readResult({ client, contracts, account, token }: MarketSession, gameId: bigint, due: bigint) {
  const { decimals } = await token()
  const staked = await readStaked(client, contracts, await readGame(client, contracts, gameId), account)
  return { staked: Number(formatUnits(staked, decimals)), paid: Number(formatUnits(due, decimals)) }
}

/** Of the newest block, Unix time, seconds. */
async function chainTime({ client }: MarketSession): Promise<number> {
  return Number((await callChain(client.rpcUrl, () => client.rpc.getBlock())).timestamp)
}

const about = ({ game, asked }: PlayedGame) => ({
  gameId: String(game.gameId),
  question: asked.question,
  answer: game.answer,
})

/** Number of newest games to choose from. */
const SEARCHED_GAMES = 64n
const CHOSEN_GAMES = 8

const takesBets: ReadonlySet<GamePhase> = new Set(['waiting', 'betting', 'awaiting clue'])

/** Finds games to bet on, given the length of the swarm's rounds. */
type GameChooser = (roundSec: number) => Promise<bigint[]>

/**
 * The games with the largest bonds that take bets. A game costs only gas and its bond, so a flood of small games cannot hide one that is
 * worth a bet. Only a few games' texts are read, and none of those that may last longer than a day (`isLongGame`).
 */
export function createGameChooser({ client, contracts }: Pick<MarketSession, 'client' | 'contracts'>): GameChooser {
  const over = new Set<bigint>()

  async function find(gameId: bigint, roundSec: number) {
    const call = { ...contracts.predictionMarket, functionName: 'gameOf', args: [gameId] } as const
    const { phase, config } = await callChain(client.rpcUrl, () => client.rpc.readContract(call))
    // Its bets count as lost until it ends: time to dispute the answer, to commit verdicts, and to reveal them.
    if (takesBets.has(gamePhases[phase] ?? 'unknown') && !isLongGame(config, roundSec, 3 * config.disputeSec))
      return [{ gameId, bond: config.bond }]
    over.add(gameId)
    return []
  }

  return async roundSec => {
    const count = await readGameCount(client, contracts)
    const first = count > SEARCHED_GAMES ? count - SEARCHED_GAMES : 0n
    for (const gameId of over) if (gameId < first) over.delete(gameId)
    const newest = Array.from({ length: Number(count - first) }, (_, at) => count - 1n - BigInt(at))
    // One that cannot be read now may be read with the next poll.
    const asked = newest.filter(gameId => !over.has(gameId)).map(gameId => find(gameId, roundSec).catch(() => []))
    const found = (await Promise.all(asked)).flat()
    return found
      .sort((a, b) => Number(b.bond - a.bond))
      .slice(0, CHOSEN_GAMES)
      .map(({ gameId }) => gameId)
  }
}
