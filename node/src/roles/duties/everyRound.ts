import { NodeError } from '#base/errors.ts'
import { asFileError, FileError } from '#base/fileError.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { PeerNode } from '../peerNode.ts'
import { createConfirmed, keepHouse } from './retention.ts'

/** Mean wait after a first failure; each further one in a row doubles it, up to the maximum. */
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000

/**
 * Calls `work` once in every round, from the current one on, until the node is stopped. Rounds that were missed, or passed while `work`
 * took too long, are skipped: a missed round costs only that round. A failure is logged and noted, and the role continues with the next
 * round after a wait.
 *
 * @throws {NodeError} if it is final: retrying cannot fix it.
 */
export async function everyRound(
  node: PeerNode,
  work: (time: RoundTime) => Promise<void>,
  random = Math.random,
): Promise<void> {
  const { chain, clock, disk, journal, signal } = node
  const kept = journal.getState('round')
  let before = typeof kept === 'number' ? kept : undefined
  let next = 0
  let failures = 0
  const confirmed = createConfirmed()
  while (!signal.aborted) {
    let round: number | null = null
    try {
      await disk.untilWritable(signal)
      const time = await chain.rounds.waitFor(next, signal)
      round = time.round
      node.setRound(time)
      notePassed(node, before, round)
      before = round
      // Before the work: one duty that fails in every round would let the disk fill up.
      await deleteOld(node, confirmed(round))
      await work(time)
      journal.setState('round', round)
      next = round + 1
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      // The round is not over: it resumes once the disk can be written.
      if (disk.isFault(error)) continue
      if (error instanceof NodeError && error.isFinal) throw error
      // A failure before the round is known costs no round.
      if (round !== null) next = round + 1
      failures += 1
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.5 + random())
      noteFailure(node, round, error, failures, waitMs)
      await clock.sleep(waitMs, signal).catch(() => undefined)
    }
  }
}

/** Deletes what is no longer needed; a failure costs no round. */
async function deleteOld(node: PeerNode, confirmed: number | null): Promise<void> {
  try {
    await keepHouse(node, confirmed)
  } catch (error) {
    if (node.disk.isFault(error)) throw error
    node.logger.warn('old facts and payloads could not be deleted', { error })
  }
}

function notePassed({ journal, logger }: PeerNode, before: number | undefined, round: number): void {
  if (before === undefined || round <= before + 1) return
  journal.note('rounds passed meanwhile', { from: before + 1, to: round - 1 })
  logger.info('rounds passed meanwhile; continuing with the current one', { from: before + 1, to: round - 1 })
}

function noteFailure(
  { journal, logger }: PeerNode,
  round: number | null,
  error: unknown,
  failures: number,
  waitMs: number,
): void {
  const told = asFileError(error)
  const advice = told instanceof FileError ? { advice: told.hint } : {}
  logger.error('this round failed; continuing after a wait', { round, failures, waitMs, error: told, ...advice })
  try {
    journal.note('round failed', { round, error: error instanceof Error ? error.message : String(error) })
  } catch (cause) {
    // The journal may be what failed: a full disk, say.
    logger.error('a failure could not be noted in the journal', { round, error: cause })
  }
}
