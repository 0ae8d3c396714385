import { type Query, ROUNDS_PER_PAGE, readPage } from '#merge/readPage.ts'
import { getRounds, type RoundList } from '#sources/getRounds.ts'
import type { Part } from '#sources/part.ts'

export interface RoundsData {
  page: number
  rounds: Promise<Part<RoundList>>
}

export function getRoundsData(query: Query): RoundsData {
  const page = readPage(query)
  return { page, rounds: getRounds(ROUNDS_PER_PAGE, (page - 1) * ROUNDS_PER_PAGE) }
}
