import type { Game } from '#sources/getGames.ts'

/** Where a game stands, for people. */
export const gameStatus: Record<Game['status'], string> = {
  open: 'Open',
  answered: 'Answered',
  disputed: 'Disputed',
  resolved: 'Resolved',
  void: 'Void',
}
