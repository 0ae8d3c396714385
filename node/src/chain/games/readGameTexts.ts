import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { blockAtTime } from '../rounds/blockAtTime.ts'
import { EVENT_RANGE_BLOCKS } from '../rounds/roundEvents.ts'
import type { Game } from './readGame.ts'

/** Longest time from opening a game to its start; texts of other games are not searched for. */
const OPENED_BEFORE_SEC = 3_600

/** A game's texts, as its Judge wrote them: unchecked, except that the clues match the commitment. */
type GameTexts = { details: string; clues: string[] }

/**
 * The texts of a game from its events.
 *
 * @returns null if it was opened more than an hour before its start.
 */
export async function readGameTexts(
  chain: FollowedChain,
  contracts: Contracts,
  { gameId, startsAtSec }: Pick<Game, 'gameId' | 'startsAtSec'>,
): Promise<GameTexts | null> {
  const head = await chain.heads.read()
  const sinceSec = Math.min(startsAtSec - OPENED_BEFORE_SEC, head.timeSec)
  const from = (await blockAtTime(chain, sinceSec, contracts.startBlock, head)) ?? head.number
  const market = contracts.predictionMarket
  let details: string | null = null
  const clues: string[] = []
  for (let at = from; at <= head.number; at += EVENT_RANGE_BLOCKS) {
    const toBlock = BigInt(Math.min(head.number, at + EVENT_RANGE_BLOCKS - 1))
    const range = { ...market, args: { gameId }, strict: true, fromBlock: BigInt(at), toBlock } as const
    const [created, revealed] = await callChain(chain.rpcUrl, () =>
      Promise.all([
        chain.rpc.getContractEvents({ ...range, eventName: 'GameCreated' }),
        chain.rpc.getContractEvents({ ...range, eventName: 'ClueRevealed' }),
      ]),
    )
    for (const { args } of created) details = args.details
    for (const { args } of revealed) clues[args.round] = args.clue
  }
  return details === null ? null : { details, clues }
}
