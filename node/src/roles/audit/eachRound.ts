import { NodeError } from '#base/errors.ts'
import { type RoundAudit, RoundVoidError } from './auditRound.ts'

/** As `openRolloutAudit` opens it. */
type OpenedAudit = {
  waitFor(round: number): Promise<void>
  audit(round: number, only: string | null): Promise<RoundAudit>
  /** Waits before a round is read again, and says why. */
  rest(round: number, cause: NodeError): Promise<void>
}

/**
 * Audits rounds in order, each once the time to settle it is over. A single round is not waited for, and is an error if it is void; among several
 * rounds, a void one has an empty result. Without a last round, one that an endpoint's false answers keep from being read is read again.
 *
 * @param rounds - `last` may be infinite.
 * @param only - a peer, by its words, id or key; null for all.
 */
export async function* eachRound(
  opened: OpenedAudit,
  { first, last }: { first: number; last: number },
  only: string | null,
): AsyncGenerator<RoundAudit> {
  const isOne = first === last
  const isEndless = last === Number.POSITIVE_INFINITY
  for (let round = first; round <= last; round += 1) {
    if (!isOne) await opened.waitFor(round)
    yield await audited(round)
  }

  async function audited(round: number): Promise<RoundAudit> {
    for (;;) {
      try {
        return await opened.audit(round, only)
      } catch (error) {
        if (!isOne && error instanceof RoundVoidError)
          return { round, tasks: 0, peers: [], disagreements: [], lackingBases: [] }
        if (!isEndless || !(error instanceof NodeError) || !error.retryable) throw error
        await opened.rest(round, error)
      }
    }
  }
}
