import { phase } from '@waggle/deployments/protocol'

/** Stage of a round between proposal and final points. */
export type RoundState = 'ahead' | 'proposing' | 'open' | 'voting' | 'revealing' | 'settling' | 'final'

export const roundStates: Record<RoundState, { label: string; doing: string }> = {
  ahead: {
    label: 'Ahead',
    doing:
      'Still to come. Two rounds before it, proposers commit to a secret; one round before it, they publish its tasks.',
  },
  proposing: { label: 'Proposing', doing: 'Proposers reveal their secrets and publish its tasks.' },
  open: { label: 'Open', doing: 'Solvers try its tasks, learn from each other and commit to what they tried.' },
  voting: { label: 'Voting', doing: 'Evaluators score what was tried and commit to their votes, sealed.' },
  revealing: { label: 'Revealing', doing: 'Evaluators open their votes.' },
  settling: { label: 'Settling', doing: 'The median of the votes becomes points, provisional for now.' },
  final: { label: 'Final', doing: 'It is over. Points that it gave are final, except contested ones.' },
}

/** The state that the chain's current round implies for any other round. */
export function roundState(round: number, currentRound: number, finalityRounds: number): RoundState {
  const age = currentRound - round
  if (age < phase.promising) return 'ahead'
  if (age < 0) return 'proposing'
  if (age > finalityRounds) return 'final'
  return (['open', 'voting', 'revealing'] as const)[age] ?? 'settling'
}

/** Whether solvers can no longer commit to rollouts of a round; false while its state is unknown. */
export const isClosed = (state: RoundState | null): boolean =>
  state !== null && state !== 'ahead' && state !== 'proposing' && state !== 'open'
