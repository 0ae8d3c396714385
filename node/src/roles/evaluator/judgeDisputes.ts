import { callChain } from '#chain/callChain.ts'
import { readGameCount } from '#chain/readGame.ts'
import type { Logger } from '#core/logger.ts'
import { type GameRules, readPhase, readPlayedGame, rulesOfGames, truthOf } from '../games/playedGame.ts'
import { deskOfNode, watchGames } from '../games/watchGames.ts'
import type { MarketDesk } from '../marketDesk.ts'
import type { PeerNode } from '../peerNode.ts'
import { act, giveVerdict } from '../playMarket.ts'

/** Newest games that are looked at: a dispute follows soon after an answer. */
const LOOKED_AT = 8n

/** Gives the verdicts that this seat is drawn for on disputed answers, until the node stops. */
export async function judgeDisputes(node: PeerNode, data: string): Promise<void> {
  const rules = rulesOfGames(node.environment)
  if (rules === null) return
  const seat = { desk: deskOfNode(node, data), rules, logger: node.logger }
  await watchGames(node, () => judgeOpenDisputes(seat))
}

export type Seat = { desk: MarketDesk; rules: GameRules; logger: Logger }

export async function judgeOpenDisputes(seat: Seat): Promise<void> {
  const { desk } = seat
  const count = await readGameCount(desk.client, desk.contracts)
  const first = count > LOOKED_AT ? count - LOOKED_AT : 0n
  for (let gameId = first; gameId < count; gameId++)
    if ((await readPhase(desk, gameId)) === 'disputed') await judgeDispute(seat, gameId)
}

async function judgeDispute({ desk, rules, logger }: Seat, gameId: bigint): Promise<void> {
  const { contracts, client, peerKey, journal } = desk
  const call = { ...contracts.predictionMarket, functionName: 'disputeOf', args: [gameId] } as const
  const [{ drawn, seedBlock, committee, openedAtSec }, { number, timestamp }] = await callChain(client.rpcUrl, () =>
    Promise.all([client.rpc.readContract(call), client.rpc.getBlock()]),
  )
  if (!drawn) {
    // All seats try, and one is enough.
    if (number > seedBlock) await act(desk, 'drawCommittee', gameId).catch(() => undefined)
    return
  }
  const played = committee.includes(peerKey) ? await readPlayedGame(desk, rules, gameId) : null
  if (played === null) return
  const step = Number(timestamp) < openedAtSec + played.game.disputeSec ? 'commit' : 'reveal'
  const state = `verdict ${gameId} ${step}`
  if (journal.getState(state) === true) return
  const choice = truthOf(rules, played)
  const { block } = await giveVerdict({ ...desk, id: () => `${gameId}:${step}` }, gameId, choice)
  journal.setState(state, true)
  logger.info('verdict on a disputed answer', { gameId: String(gameId), step, choice, block })
}
