import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'

/** Scores that are read again one after the other, until the end of their round. */
type Reading = {
  until: AbortSignal
  roundMs: number
  /** On the node's clock. */
  endsAtMs: number
}

/** Share of a round that each has at least, however many there are. */
const LEAST_SHARE = 1 / 16

/**
 * Ends the reading of a score while there is time for the others: a peer that is slow to give its work hides no score but its own.
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
