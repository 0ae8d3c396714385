import { callChain } from '#chain/callChain.ts'
import { readGameCount } from '#chain/readGame.ts'
import type { Logger } from '#core/logger.ts'
import { type GameRules, readPhase, readPlayedGame, rulesOfGames, truthOf } from '../games/playedGame.ts'
import { sessionOfNode, watchGames } from '../games/watchGames.ts'
import type { MarketSession } from '../marketSession.ts'
import type { PeerNode } from '../peerNode.ts'
import { act, giveVerdict } from '../playMarket.ts'

/** Newest games that are read: a dispute follows soon after an answer. */
const GAMES_READ = 8n

/** Gives the verdicts that this seat is drawn for on disputed answers, until the node stops. */
export async function judgeDisputes(node: PeerNode, data: string): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null) return
  const seat = { session: sessionOfNode(node, data), rules, logger: node.logger }
  await watchGames(node, () => judgeOpenDisputes(seat))
}

export type Seat = { session: MarketSession; rules: GameRules; logger: Logger }

export async function judgeOpenDisputes(seat: Seat): Promise<void> {
  const { session } = seat
  const count = await readGameCount(session.client, session.contracts)
  const first = count > GAMES_READ ? count - GAMES_READ : 0n
  for (let gameId = first; gameId < count; gameId++)
    if ((await readPhase(session, gameId)) === 'disputed') await judgeDispute(seat, gameId)
}

async function judgeDispute({ session, rules, logger }: Seat, gameId: bigint): Promise<void> {
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
  const played = committee.includes(peerKey) ? await readPlayedGame(session, rules, gameId) : null
  if (played === null) return
  const step = Number(timestamp) < openedAtSec + played.game.disputeSec ? 'commit' : 'reveal'
  const state = `verdict ${gameId} ${step}`
  if (journal.getState(state) === true) return
  const choice = truthOf(rules, played)
  const { block } = await giveVerdict({ ...session, id: () => `${gameId}:${step}` }, gameId, choice)
  journal.setState(state, true)
  logger.info('verdict on a disputed answer', { gameId: String(gameId), step, choice, block })
}
