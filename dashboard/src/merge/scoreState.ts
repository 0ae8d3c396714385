import type { RoundState } from './roundState.ts'

/** Certainty of a settled score. */
export type ScoreState = 'settled' | 'contested' | 'final'

export const scoreStates: Record<ScoreState, { label: string; says: string; colour: string }> = {
  settled: { label: 'provisional', says: 'Its round is not final yet.', colour: 'text-honey-ink' },
  contested: {
    label: 'contested',
    says: 'A demand or an appeal against it is open: the score earns nothing until that is closed.',
    colour: 'text-thorn',
  },
  final: { label: 'final', says: 'It stands.', colour: 'text-soft' },
}

/** A score's state by the chain's clock: what is contested is not final, however old. */
export function stateOfScore(round: RoundState | null, isContested: boolean): ScoreState {
  if (isContested) return 'contested'
  return round === 'final' ? 'final' : 'settled'
}
