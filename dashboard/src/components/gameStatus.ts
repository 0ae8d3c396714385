import type { Game } from '#sources/getGames.ts'

/** A game's status in words. */
export const gameStatus: Record<Game['status'], string> = {
  open: 'Open',
  answered: 'Answered',
  disputed: 'Disputed',
  resolved: 'Resolved',
  void: 'Void',
}
