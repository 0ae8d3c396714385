import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'

/** Scores that are read again in sequence, until the end of their round. */
type Reading = {
  until: AbortSignal
  roundMs: number
  /** On the node's clock. */
  endsAtMs: number
}

/** Least share of a round for each, however many there are. */
const LEAST_SHARE = 1 / 16

/**
 * Stops reading a score while there is time for the others: a slow peer can hide only its own score.
 *
 * @param left - scores that are not read yet, this one included.
 */
export function readingDeadline(
  clock: Pick<Clock, 'nowMs'>,
  { until, roundMs, endsAtMs }: Reading,
  left: number,
): AbortSignal {
  const leftMs = endsAtMs - clock.nowMs()
  return withDeadline(until, Math.min(leftMs, Math.max(leftMs / Math.max(1, left), roundMs * LEAST_SHARE)))
}
