import { z } from 'zod'
import { readOpenedGames } from '#chain/games/gameEvents.ts'
import type { MarketSession } from '../games/marketSession.ts'

const STATE = 'judged games'
/** What an older version kept is a list, of games among the newest alone: it is not read, so that all of them are searched for. */
const schema = z.object({ ids: z.array(z.string()), cursor: z.number().nullable() }).catch({ ids: [], cursor: null })

type Journal = Pick<MarketSession, 'journal'>

/** Games of this Judge that have not ended, as far as it knows. */
export const ownGames = ({ journal }: Journal): string[] => schema.parse(journal.getState(STATE)).ids

/** Notes which games are open now. */
export function keepOwnGames({ journal }: Journal, ids: readonly string[]): void {
  journal.setState(STATE, { ...schema.parse(journal.getState(STATE)), ids: [...ids] })
}

/** Searches for what this Judge opened and did not note: a stop between the opening of a game and its note would leave a bond without a Judge. */
export async function findOwnGames({ client, contracts, account, journal }: MarketSession): Promise<void> {
  const kept = schema.parse(journal.getState(STATE))
  const { gameIds, cursor } = await readOpenedGames(client, contracts, account, kept.cursor)
  journal.setState(STATE, { ids: [...new Set([...kept.ids, ...gameIds.map(String)])], cursor })
}
