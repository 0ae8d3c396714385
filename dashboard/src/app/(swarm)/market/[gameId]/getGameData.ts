import { type Game, getGame } from '#sources/getGames.ts'
import type { Part } from '#sources/part.ts'

/** A game's number from its address; null for anything else. */
export function readGameId(text: string): string | null {
  return /^\d{1,18}$/.test(text) ? text : null
}

export function getGameData(gameId: string): Promise<Part<Game | null>> {
  return getGame(gameId)
}
