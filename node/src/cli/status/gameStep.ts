import type { Game } from '#chain/games/readGame.ts'

type Terms = Pick<Game, 'phase' | 'round' | 'roundCount' | 'startsAtSec' | 'bettingSec' | 'revealSec' | 'cluesRevealed'>

/** The next step in a game by its phase, and its time, in Unix seconds of the chain; null if no time is set. */
export function gameStep(game: Terms): { says: string; atSec: number } | null {
  const { phase, round, roundCount, startsAtSec, bettingSec, revealSec, cluesRevealed } = game
  const opensAt = (of: number) => startsAtSec + of * (bettingSec + revealSec)
  if (phase === 'waiting') return { says: 'betting opens', atSec: opensAt(Math.min(cluesRevealed, roundCount - 1)) }
  if (phase === 'betting') return { says: 'betting closes', atSec: opensAt(round) + bettingSec }
  if (phase === 'awaiting clue') return { says: 'clue due', atSec: opensAt(round + 1) }
  return phase === 'awaiting answer' ? { says: 'answer due', atSec: opensAt(round + 1) } : null
}

/** A moment as seen from now: `in 45 s`, `in 12 min`, `3 h ago`. */
export function fromNow(atSec: number, nowSec: number): string {
  const left = atSec - nowSec
  return left >= 0 ? `in ${span(left)}` : `${span(-left)} ago`
}

function span(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
