import { GAMES_PER_PAGE, type Query, readPage } from '#merge/readPage.ts'
import { type GameList, getGames } from '#sources/getGames.ts'
import type { Part } from '#sources/part.ts'

export interface MarketData {
  page: number
  games: Promise<Part<GameList>>
}

export function getMarketData(query: Query): MarketData {
  const page = readPage(query)
  return { page, games: getGames(GAMES_PER_PAGE, (page - 1) * GAMES_PER_PAGE) }
}
