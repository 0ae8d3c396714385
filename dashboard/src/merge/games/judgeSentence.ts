import type { Judged } from '#sources/market/getJudged.ts'
import { hasStood, isOver } from './marketRows.ts'

/** An account's games as a Judge, in a sentence; null if it opened no game. */
export function judgeSentence(judged: Judged | null): string | null {
  if (judged === null) return null
  const { totalCount, items } = judged
  const ended = items.filter(({ status }) => isOver(status))
  const games = `Judge of the market: ${totalCount} ${totalCount === 1 ? 'game' : 'games'}`
  if (ended.length === 0) return `${games}, none has ended yet.`
  const answers = `${ended.filter(hasStood).length} of ${ended.length} ${ended.length === 1 ? 'answer' : 'answers'} stood`
  return `${games}, ${answers}${totalCount > items.length ? ` in the newest ${items.length}` : ''}.`
}
