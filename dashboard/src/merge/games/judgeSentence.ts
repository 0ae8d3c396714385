import type { Judged } from '#sources/market/getJudged.ts'
import { hasStood, isAnswered, isOver } from './marketRows.ts'

/** An account's games as a Judge, in a sentence; null if it opened no game. */
export function judgeSentence(judged: Judged | null): string | null {
  if (judged === null) return null
  const { totalCount, items } = judged
  const games = `Judge of the market: ${totalCount} ${totalCount === 1 ? 'game' : 'games'}`
  if (!items.some(({ status }) => isOver(status))) return `${games}, none has ended yet.`
  const answered = items.filter(isAnswered)
  const stood = `${answered.filter(hasStood).length} of ${answered.length}`
  const answers =
    answered.length === 0
      ? 'none has ended with an answer'
      : `${stood} ${answered.length === 1 ? 'answer' : 'answers'} stood`
  return `${games}, ${answers}${totalCount > items.length ? ` in the newest ${items.length}` : ''}.`
}
