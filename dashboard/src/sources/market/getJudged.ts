import { z } from 'zod'
import { queryIndexer } from '../queryIndexer.ts'

/** Most games of a Judge that count, the newest. */
const JUDGED_GAMES = 100

const amount = z.string().regex(/^\d+$/).transform(BigInt)

const answer = z.object({
  games: z.object({
    totalCount: z.int(),
    items: z.array(
      z.object({
        gameId: amount,
        details: z.string(),
        status: z.enum(['open', 'answered', 'disputed', 'resolved', 'void']),
        answer: z.int().nullable(),
        winner: z.int().nullable(),
        disputer: z.string().nullable(),
        /** Nectar that holders divide in addition to their stakes; null before the end. */
        pot: amount.nullable(),
      }),
    ),
  }),
})

/** Games that an account opened as a Judge: how many, and the newest. */
export type Judged = z.infer<typeof answer>['games']

const QUERY = `query Judged($account: String!, $limit: Int) {
  games(where: { judge: $account }, orderBy: "gameId", orderDirection: "desc", limit: $limit) {
    totalCount items { gameId details status answer winner disputer pot }
  }
}`

/**
 * The games of a Judge; null if the account never opened one, or the index does not answer.
 *
 * @param account - lower case.
 */
export async function getJudged(account: string): Promise<Judged | null> {
  const part = await queryIndexer(QUERY, { account, limit: JUDGED_GAMES }, answer)
  return part.state === 'ready' && part.data.games.totalCount > 0 ? part.data.games : null
}
