import { phase, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { PeerKey } from '#core/hashes.ts'
import { recordBeacon } from '../draws/roundBeacon.ts'
import { reportOutcome } from '../duties/reportOutcome.ts'
import type { PeerNode } from '../peerNode.ts'
import type { Models } from './proofs.ts'
import { type ReadTogether, readTogether, scoreAgain } from './scoreAgain.ts'

/**
 * Gives verdicts on the appeals of the round before, if this seat was drawn for them, and closes the cases that are due. Cases are judged side by
 * side: a peer that is slow to give its work takes no time from the others.
 */
export async function judgeAppeals(node: PeerNode, models: Models, round: number, signal: AbortSignal): Promise<void> {
  const { chain } = node
  if (round < 1) return
  const appeals = await chain.readAppeals({
    first: Math.max(0, round - phase.settling - 1),
    last: round - phase.voting,
  })
  const open = appeals.filter(({ isClosed }) => !isClosed)
  const isNew = ({ openedRound }: AppealCase) => openedRound === round - phase.voting
  for (const found of open) if (!isNew(found) && round >= found.closesFrom) closeCase(node, found)
  const together = readTogether(node)
  const given = await Promise.allSettled(
    open.filter(isNew).map(found => giveVerdict(node, models, found, together, signal)),
  )
  for (const ended of given) if (ended.status === 'rejected') throw ended.reason
}

/** Scores the peer again, as a committee would, and seals the score. */
async function giveVerdict(
  node: PeerNode,
  models: Models,
  found: AppealCase,
  together: ReadTogether,
  signal: AbortSignal,
): Promise<void> {
  const { chain, identity, logger } = node
  const { round, peerKey, level, openedRound } = found
  await recordBeacon(node, openedRound, signal)
  const position = (await chain.readJury(round, peerKey)).indexOf(identity.peerKey)
  const isParty = found.appellant === chain.account || (await chain.readAccountOf(peerKey)) === chain.account
  if (position < 0 || isParty || !(await node.playsIn(round))) return
  const seats = await firstSeatsThatScored(node, found)
  const scoreMilli = await scoreAgain(node, models, { round, peerKey, seats }, signal, together)
  const { sealed, opened } = chain.giveVerdict({ round, peerKey, level, openedRound, position, scoreMilli })
  const about = { round, peerKey, appeal: level, scoreMilli }
  // Not waited for: it is opened in the next round.
  void sealed.then(outcome => reportOutcome(logger, 'verdict sealed', outcome, about))
  void opened.then(outcome => reportOutcome(logger, 'verdict opened', outcome, about))
}

/** Of a second appeal, the seats of the first that found something to score. */
async function firstSeatsThatScored({ chain }: PeerNode, found: AppealCase): Promise<PeerKey[]> {
  if (found.level === 1) return []
  const verdicts = await chain.readVerdicts({ ...found, level: 1, openedRound: found.openedRound - phase.settling })
  return verdicts.filter(({ scoreMilli }) => scoreMilli !== UNAVAILABLE).map(({ seatKey }) => seatKey)
}

/** Closes a case; whoever does has its seats judged. All evaluators try, and one is enough. */
function closeCase({ chain, logger, signal }: PeerNode, found: AppealCase): void {
  const about = { round: found.round, peerKey: found.peerKey }
  const closeAndJudge = async () => {
    const outcome = await chain.closeAppeal(found)
    if (outcome.status !== 'mined') return logger.debug('another closes the case', about)
    logger.info('case closed', about)
    for (const seats of await chain.readSeatsToJudge(found))
      reportOutcome(logger, 'seats judged', await chain.judgeSeats(seats), { ...about, appeal: seats.level })
  }
  // Not waited for, so that it may outlive the node: what is not judged by then, anybody judges.
  void closeAndJudge().catch(error => {
    if (!signal.aborted) logger.warn('the seats of a case were not judged', { ...about, error })
  })
}
