import { phase } from '@waggle/deployments/protocol'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { drawIndices } from '../draws/drawIndices.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Rounds in which evaluators still close a case, or judge its seats, after it could be closed. */
const OVERDUE_ROUNDS = 8

/** The first round whose appeals may be in a case that is not closed, or whose seats are not judged. */
export function firstUnjudged(round: number): number {
  return Math.max(0, round - phase.settling - 1 - OVERDUE_ROUNDS)
}

/**
 * Closes a case that is due, and judges its seats. All evaluators try to close it, and one is enough. Whoever closes it need not judge anybody, and
 * a coalition would not judge its own jurors: in each later round, one evaluator that is drawn for the case judges the seats that are left.
 *
 * @param seats - of the round; used for closed cases only.
 */
export function closeCase(node: PeerNode, found: AppealCase, round: number, seats: Promise<readonly PeerKey[]>): void {
  const { chain, logger, signal } = node
  const about = { round: found.round, peerKey: found.peerKey }
  const closeAndJudge = async () => {
    if (found.isClosed) return (await isInCharge(node, found, round, await seats)) ? judgeCase(node, found) : undefined
    const outcome = await chain.closeAppeal(found)
    if (outcome.status !== 'mined') return logger.debug('another closes the case', about)
    logger.info('case closed', about)
    await judgeCase(node, found)
  }
  // Not awaited, and may be cut short by a stop: another evaluator judges the remaining seats.
  void closeAndJudge().catch(error => {
    if (!signal.aborted) logger.warn('the seats of a case were not judged', { ...about, error })
  })
}

/** Pays or slashes the seats of a closed case, except those that were already. */
export async function judgeCase(
  { chain, logger }: Pick<PeerNode, 'chain' | 'logger'>,
  found: Pick<AppealCase, 'round' | 'peerKey'>,
): Promise<void> {
  const { round, peerKey } = found
  for (const seats of await chain.readSeatsToJudge(found))
    reportOutcome(logger, 'seats judged', await chain.judgeSeats(seats), { round, peerKey, appeal: seats.level })
}

/** Whether the case falls to this evaluator in a round: one of the round's seats, drawn by the beacon of the appeal. */
async function isInCharge(
  node: PeerNode,
  found: AppealCase,
  round: number,
  seats: readonly PeerKey[],
): Promise<boolean> {
  const beacon = await beaconOf(node, found.openedRound)
  const seed = roundSeed('judge', node.chainId, round, beacon ?? ZERO_HASH, found.peerKey, found.round)
  return drawIndices(seats.length, 1, seed).some(at => seats[at] === node.identity.peerKey)
}
