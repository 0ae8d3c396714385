import { callChain } from '#chain/callChain.ts'
import { readDisputes } from '#chain/games/readDisputes.ts'
import { readGame } from '#chain/games/readGame.ts'
import type { Logger } from '#core/logger.ts'
import type { MarketSession } from '../games/marketSession.ts'
import { type GameRules, readPhase, readPlayedGame, rulesOfGames, truthOf } from '../games/playedGame.ts'
import { act, giveVerdict } from '../games/playMarket.ts'
import { sessionOfNode, watchGames } from '../games/watchGames.ts'
import type { PeerNode } from '../peerNode.ts'

const STATE = 'disputes'

/** Open disputes, and the block from which newer ones are read. */
type KeptDisputes = { open: string[]; cursor: number }

/** Gives the verdicts that this seat is drawn for on disputed answers, until the node stops. */
export async function judgeDisputes(node: PeerNode, data: string): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null) return
  const seat = { session: sessionOfNode(node, data), rules, logger: node.logger }
  await watchGames(node, () => judgeOpenDisputes(seat))
}

export type Seat = { session: MarketSession; rules: GameRules; logger: Logger }

/** Disputes are found by their events: a Judge that opens many games after a false answer hides it from no seat. */
export async function judgeOpenDisputes(seat: Seat): Promise<void> {
  const { session, logger } = seat
  const { client, contracts, journal } = session
  const kept = (journal.getState(STATE) ?? null) as KeptDisputes | null
  const { gameIds, cursor } = await readDisputes(client, contracts, kept?.cursor ?? null)
  const found = new Set([...(kept?.open ?? []), ...gameIds.map(String)])
  const open: string[] = []
  for (const gameId of found) {
    const isOpen = await judgeIfDisputed(seat, BigInt(gameId)).catch(error => {
      logger.warn('a dispute could not be judged', { gameId, error })
      return true
    })
    if (isOpen) open.push(gameId)
  }
  journal.setState(STATE, { open, cursor })
}

/** @returns whether it still is. */
async function judgeIfDisputed(seat: Seat, gameId: bigint): Promise<boolean> {
  if ((await readPhase(seat.session, gameId)) !== 'disputed') return false
  await judgeDispute(seat, gameId)
  return true
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
  if (!committee.includes(peerKey)) return
  const { disputeSec } = await readGame(client, contracts, gameId)
  const step = Number(timestamp) < openedAtSec + disputeSec ? 'commit' : 'reveal'
  const state = `verdict ${gameId} ${step}`
  if (journal.getState(state) === true) return
  const played = await readPlayedGame(session, rules, gameId)
  if (played === null) return
  const choice = truthOf(rules, played)
  const { block } = await giveVerdict({ ...session, id: () => `${gameId}:${step}` }, gameId, choice)
  journal.setState(state, true)
  logger.info('verdict on a disputed answer', { gameId: String(gameId), step, choice, block })
}
