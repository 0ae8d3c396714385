import { z } from 'zod'
import { type Part, ready } from '../part.ts'
import { queryIndexer } from '../queryIndexer.ts'

/** The contract takes no more for a game. */
const MOST_CHOICES = 16
/** Games whose choices fit the index's longest list. */
const GAMES_A_LIST = 60

/** Tokens in their smallest unit. */
const amount = z.string().regex(/^\d+$/).transform(BigInt)
const choice = z.object({ gameId: amount, choice: z.int(), stake: amount })
const answer = z.record(z.string(), z.object({ items: z.array(choice) }))

interface Bet {
  gameId: bigint
  game: object
}

/** A bet whose game has its choices, by number. */
export type WithChoices<B extends Bet> = B & { game: { choices: { items: { choice: number; stake: bigint }[] } } }

/**
 * Bets with all choices of their games. They come by game, sixty a list: a list for each bet would make the question a large one, which the
 * index may refuse.
 */
export async function withChoices<B extends Bet>(bets: readonly B[]): Promise<Part<WithChoices<B>[]>> {
  const ids = [...new Set(bets.map(({ gameId }) => String(gameId)))]
  const lists = Array.from({ length: Math.ceil(ids.length / GAMES_A_LIST) }, (_, at) => at)
  if (lists.length === 0) return ready([])
  const named = lists.map(at => `$g${at}: [BigInt]`).join(', ')
  const asked = lists.map(
    at =>
      `c${at}: gameChoices(where: { gameId_in: $g${at} }, limit: ${GAMES_A_LIST * MOST_CHOICES}) { items { gameId choice stake } }`,
  )
  const variables = lists.map(at => [`g${at}`, ids.slice(GAMES_A_LIST * at, GAMES_A_LIST * (at + 1))])
  const query = `query GameChoices(${named}) { ${asked.join(' ')} }`
  const part = await queryIndexer(query, Object.fromEntries(variables), answer)
  if (part.state === 'down') return part
  const byGame = Map.groupBy(
    Object.values(part.data).flatMap(({ items }) => items),
    ({ gameId }) => gameId,
  )
  const of = (gameId: bigint) => (byGame.get(gameId) ?? []).toSorted((a, b) => a.choice - b.choice)
  return ready(bets.map(bet => ({ ...bet, game: { ...bet.game, choices: { items: of(bet.gameId) } } })))
}
