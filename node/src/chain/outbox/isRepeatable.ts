import type { OutboxIntent } from '#core/outboxStore.ts'

/** Beginnings of the keys of calls without a last round whose second one the contract refuses, or takes without an effect. */
const ONCE = [
  'closeAppeal:',
  'closeDemand:',
  'describe-environment:',
  'judgeSeats:',
  'market:revealClue:',
  'market:proveAnswer:',
]

/**
 * Whether a call may be signed again although it is unknown whether it was mined: the chain refuses a second one for one round. Others, such as a
 * transfer, would be paid twice.
 *
 * By its key, so that it also holds for calls in the journal of an older version.
 */
export const isRepeatable = ({ key, throughRound }: Pick<OutboxIntent, 'key' | 'throughRound'>): boolean =>
  throughRound !== null || ONCE.some(start => key.startsWith(start))
