import { callChain } from '#chain/callChain.ts'
import { readDisputes } from '#chain/games/gameEvents.ts'
import { readGame } from '#chain/games/readGame.ts'
import type { Logger } from '#core/logger.ts'
import { mapConcurrently } from '#core/mapConcurrently.ts'
import { payloadSizes } from '#environments/payloadSizes.ts'
import { defaultQuotas } from '#store/payloadQuota.ts'
import { openChecker } from '../checking/openChecker.ts'
import { neededQuotas } from '../duties/retention.ts'
import { showDemanded } from '../duties/showDemanded.ts'
import type { MarketSession } from '../games/marketSession.ts'
import { type GameRules, isLongGame, readPhase, readPlayedGame, rulesOfGames, truthOf } from '../games/playedGame.ts'
import { act, giveVerdict } from '../games/playMarket.ts'
import { sessionOfNode, watchGames } from '../games/watchGames.ts'
import { largestPolicy } from '../models/largestPolicy.ts'
import type { PeerNode } from '../peerNode.ts'
import type { RoleOptions } from '../roleOptions.ts'
import { runEvaluator } from './evaluator.ts'

/** Opens the judge model and runs an evaluator's duties: it votes, judges disputed games, and publishes leaves that others withhold. */
export async function startEvaluator(node: PeerNode, options: RoleOptions): Promise<void> {
  await tellQuotas(node, options.quotas)
  const { models, close } = await openChecker(node, options)
  const { demands, appeals: maxAppeals } = options.settings
  const duties = [
    runEvaluator(node, models, { demands, maxAppeals }),
    judgeDisputes(node, options.data),
    showDemanded(node, 'others'),
  ]
  await Promise.all(duties).finally(close)
}

/** Warns about too small quotas: a jury asks the seats that scored a peer for its work, and annuls the score if nobody has it. */
async function tellQuotas({ environment, logger }: PeerNode, quotas = defaultQuotas): Promise<void> {
  const bytes = { rollouts: payloadSizes(environment).rollouts, policy: await largestPolicy(environment) }
  const needed = neededQuotas(quotas, environment, bytes)
  if (needed !== null)
    logger.warn('the quotas cannot hold the largest payloads of a peer for as long as a jury may ask for them', needed)
}

const STATE = 'disputes'

/** Disputes read in parallel: each takes two requests at every poll, so a flood of them is limited. */
const AT_ONCE = 16

/** Reasons why a drawn seat gives no verdict. */
const reasons = {
  foreign: "its question is not of this node's environment",
  long: 'it took longer than a game of this swarm does',
} as const

/** Open disputes, and the block from which newer ones are read. */
type KeptDisputes = { open: string[]; cursor: number }

/** Gives verdicts on disputed answers for which this seat is drawn, until the node stops. */
async function judgeDisputes(node: PeerNode, data: string): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null)
    return node.logger.info('this environment has no questions for the market: no verdicts on disputes')
  const seat = { session: sessionOfNode(node, data), rules, logger: node.logger }
  await watchGames(node, roundSec => judgeOpenDisputes(seat, roundSec))
}

type Seat = { session: MarketSession; rules: GameRules; logger: Logger }

/**
 * Finds disputes by their events, so a Judge cannot hide a false answer by opening many games after it. Each step of a dispute lasts at least a round,
 * so rarer polls are enough while none is open.
 *
 * @param roundSec - length of the swarm's rounds.
 * @returns 'idle' while none is open.
 */
export async function judgeOpenDisputes(seat: Seat, roundSec: number): Promise<'idle' | undefined> {
  const { session, logger } = seat
  const { client, contracts, journal } = session
  const kept = (journal.getState(STATE) ?? null) as KeptDisputes | null
  const { gameIds, cursor } = await readDisputes(client, contracts, kept?.cursor ?? null)
  const found = new Set([...(kept?.open ?? []), ...gameIds.map(String)])
  const isOpen = await mapConcurrently([...found], AT_ONCE, gameId =>
    judgeIfDisputed(seat, BigInt(gameId), roundSec).catch(error => {
      logger.warn('a dispute could not be judged', { gameId, error })
      return true
    }),
  )
  const open = [...found].filter((_, at) => isOpen[at])
  journal.setState(STATE, { open, cursor })
  return open.length === 0 ? 'idle' : undefined
}

/** @returns whether it still is, and this seat may have a part in it. */
async function judgeIfDisputed(seat: Seat, gameId: bigint, roundSec: number): Promise<boolean> {
  if (seat.session.journal.getState(abstained(gameId)) === true) return false
  if ((await readPhase(seat.session, gameId)) !== 'disputed') return false
  await judgeDispute(seat, gameId, roundSec)
  return true
}

async function judgeDispute({ session, rules, logger }: Seat, gameId: bigint, roundSec: number): Promise<void> {
  const { contracts, client, peerKey, journal } = session
  const call = { ...contracts.predictionMarket, functionName: 'disputeOf', args: [gameId] } as const
  const [{ drawn, seedBlock, committee, openedAtSec }, { number, timestamp }] = await callChain(client.rpcUrl, () =>
    Promise.all([client.rpc.readContract(call), client.rpc.getBlock()]),
  )
  if (!drawn) {
    // All seats try, and one is enough.
    if (number > seedBlock) await act(session, 'drawCommittee', gameId).catch(() => undefined)
    return
  }
  if (!committee.includes(peerKey)) return
  const game = await readGame(client, contracts, gameId)
  const step = Number(timestamp) < openedAtSec + game.disputeSec ? 'commit' : 'reveal'
  const state = `verdict ${gameId} ${step}`
  if (journal.getState(state) === true) return
  const played = isLongGame(game, roundSec) ? 'long' : await readPlayedGame(session, rules, gameId)
  if (played === 'incomplete') return
  if (typeof played === 'string') {
    logger.warn('no verdict on a disputed answer, which costs this seat nothing', {
      ...{ gameId: String(gameId), reason: reasons[played] },
    })
    journal.setState(abstained(gameId), true)
    return
  }
  const choice = truthOf(rules, played)
  const { block } = await giveVerdict({ ...session, id: () => `${gameId}:${step}` }, gameId, choice)
  journal.setState(state, true)
  logger.info('verdict on a disputed answer', { gameId: String(gameId), step, choice, block })
}

const abstained = (gameId: bigint) => `verdict ${gameId} abstained`
