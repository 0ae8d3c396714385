import type { Game } from '#sources/getGames.ts'

/** Terms from which a game's times follow. */
export type GameTerms = Pick<
  Game,
  | 'status'
  | 'roundCount'
  | 'startsAtSec'
  | 'bettingSec'
  | 'revealSec'
  | 'disputeSec'
  | 'clues'
  | 'answer'
  | 'answeredAtSec'
  | 'disputer'
  | 'disputedAtSec'
  | 'pot'
  | 'endedAtSec'
>

/** The part of a game that its clock needs, small enough for a browser. */
export function termsOf(game: Game): GameTerms {
  const { status, roundCount, startsAtSec, bettingSec, revealSec, disputeSec, clues, ...rest } = game
  const { answer, answeredAtSec, disputer, disputedAtSec, pot, endedAtSec } = rest
  return {
    ...{ status, roundCount, startsAtSec, bettingSec, revealSec, disputeSec, clues },
    ...{ answer, answeredAtSec, disputer, disputedAtSec, pot, endedAtSec },
  }
}

/** The next step of a game and its time, in seconds of the chain's clock. */
export interface GameStep {
  says: string
  atSec: number | null
  /** Round that takes bets now; null while none does. */
  bettingRound: number | null
}

/** Phase of a game, as `PredictionMarket.phaseOf` computes it, and its next step. */
export function gameStep(game: GameTerms, nowSec: number): GameStep {
  const step = (says: string, atSec: number | null, bettingRound: number | null = null) => ({
    says,
    atSec,
    bettingRound,
  })
  if (game.status === 'resolved') return step('The game is over.', null)
  if (game.status === 'void')
    return step(`${whyVoid(game)}: the game is void, and every stake can be taken back.`, null)
  if (game.status === 'disputed') {
    const over = (game.disputedAtSec ?? 0) + 2 * game.disputeSec
    if (nowSec >= over) return step('The dispute is over: the first winner who claims ends the game.', null)
    return step('The answer is disputed; a committee decides, at the latest', over)
  }
  if (game.status === 'answered') {
    const over = (game.answeredAtSec ?? 0) + game.disputeSec
    if (nowSec >= over) return step('The answer stands: the first winner who claims ends the game.', null)
    return step('The answer is proven; the time for a dispute ends', over)
  }
  const length = game.bettingSec + game.revealSec
  const opensAt = (round: number) => game.startsAtSec + round * length
  if (nowSec < game.startsAtSec) return step('Betting opens', game.startsAtSec)
  const proven = game.clues.items.length
  const due = dueSec(game)
  if (nowSec >= due) return step('The Judge missed a deadline: anyone may end the game.', null)
  const round = Math.floor((nowSec - game.startsAtSec) / length)
  const closes = opensAt(round) + game.bettingSec
  if (nowSec < closes) return step(`Betting of round ${round + 1} closes`, closes, round)
  if (proven === round) return step(`The clue of round ${round + 1} is due`, due)
  if (proven === game.roundCount) return step('The answer is due', due)
  return step(`Betting of round ${round + 2} opens`, opensAt(round + 1))
}

/** Time by which the Judge has to prove the next clue, or the answer. */
function dueSec({ clues, roundCount, startsAtSec, bettingSec, revealSec }: GameTerms): number {
  const proven = clues.items.length
  return startsAtSec + (proven < roundCount ? proven + 1 : proven) * (bettingSec + revealSec)
}

/** Only a Judge ends a game before its own time is over, and only a verdict against it forfeits its bond. */
function whyVoid(game: GameTerms): string {
  if (game.answer === null)
    return (game.endedAtSec ?? 0) < dueSec(game) ? 'The Judge cancelled it' : 'The Judge missed a deadline'
  if (game.disputer !== null && (game.pot ?? 0n) > 0n)
    return 'A committee found that no choice is right, or one that nobody bet on'
  return 'Nobody bet on the right choice'
}
