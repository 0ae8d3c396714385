import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { eventRanges, RARE_RANGE_BLOCKS } from '../eventRanges.ts'
import { blockAtTime } from '../rounds/blockAtTime.ts'
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
  const since = { first: BigInt(from), last: BigInt(head.number), most: RARE_RANGE_BLOCKS }
  const texts = eventRanges(chain, since, async range => {
    const ofGame = { ...market, args: { gameId }, strict: true, ...range } as const
    const [created, revealed] = await Promise.all([
      chain.rpc.getContractEvents({ ...ofGame, eventName: 'GameCreated' }),
      chain.rpc.getContractEvents({ ...ofGame, eventName: 'ClueRevealed' }),
    ])
    return [...created, ...revealed]
  })
  for await (const { events } of texts)
    for (const { eventName, args } of events)
      if (eventName === 'GameCreated') details = args.details
      else clues[args.round] = args.clue
  return details === null ? null : { details, clues }
}
