import { cache } from 'react'
import { formatShare } from '#merge/format.ts'
import { choiceRows } from '#merge/games/choiceRows.ts'
import { gameTitle } from '#merge/games/gameTitle.ts'
import { type Game, getGame } from '#sources/getGames.ts'
import type { Part } from '#sources/part.ts'

/** A game's number from the address; null if invalid. */
export function readGameId(text: string): string | null {
  return /^\d{1,18}$/.test(text) ? text : null
}

/** Cached: the page, its title and its image share one read. */
export const getGameData: (gameId: string) => Promise<Part<Game | null>> = cache(getGame)

/** Choices that a summary names. */
const NAMED = 3

/** A game's question and the choices with the largest stakes, as far as they are known. */
export function gameSummary(part: Part<Game | null> | null): { question: string; lines: string[] } {
  if (part?.state !== 'ready' || part.data === null) return { question: 'A game', lines: [] }
  const { question, nameOf } = gameTitle(part.data.gameId, part.data.details)
  const largest = choiceRows(part.data).sort((a, b) => b.share - a.share)
  return { question, lines: largest.slice(0, NAMED).map(row => `${formatShare(row.share)} on ${nameOf(row.choice)}`) }
}
