import type { Ruling } from './rulings.ts'

export interface AppealableScore {
  round: number
  scoreMilli: number
  /** The ruling on it, if it was appealed before. */
  ruling: Ruling | null
}

/** The subject of an appeal: the settled score, or the verdict on it, which may be the opposite. */
export function appealLabel({ scoreMilli, ruling, round }: AppealableScore, level: number): string {
  if (level === 1) return `Appeal ${scoreMilli} of round ${round}`
  if (!ruling?.isReached) return `Appeal the jury’s verdict on round ${round}`
  const { seats, standingMilli, appealedMilli } = ruling
  const found = standingMilli === appealedMilli ? `let ${standingMilli} stand` : `found ${standingMilli}`
  return `Appeal the verdict of ${seats} seats on round ${round}, which ${found}`
}
