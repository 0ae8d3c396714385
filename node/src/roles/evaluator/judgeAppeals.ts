import { COMMITTEE_SEATS, phase, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { ballotsOn } from '../appellant/chooseScores.ts'
import type { Models } from '../checking/proofs.ts'
import { type ReadTogether, readTogether, scoreAgain } from '../checking/scoreAgain.ts'
import { beaconOf, recordBeacon } from '../draws/roundBeacon.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { closeCase, firstUnjudged } from '../duties/closeCases.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { disputedBy, readDisputeRecords } from './disputeRecords.ts'

/**
 * Gives verdicts on the appeals of the round before, if this seat was drawn for them, closes the cases that are due, and judges their seats. Cases
 * are judged in parallel: a peer that serves its work slowly takes no time from the others.
 */
export async function judgeAppeals(node: PeerNode, models: Models, round: number, signal: AbortSignal): Promise<void> {
  const { chain } = node
  if (round < 1) return
  const appeals = await chain.readAppeals({ first: firstUnjudged(round), last: round - phase.voting })
  const seats = appeals.some(({ isClosed }) => isClosed) ? chain.readSeats(round) : Promise.resolve([])
  for (const found of appeals) if (found.isClosed || round >= found.closesFrom) closeCase(node, found, round, seats)
  const due = appeals.filter(({ isClosed, openedRound }) => !isClosed && openedRound === round - phase.voting)
  if (due.length === 0) return
  await recordBeacon(node, round - phase.voting, signal)
  const together = readTogether(node, `appeals of round ${round}`)
  const inOrder = await orderCases(node, due, round - phase.voting, together)
  const given = await Promise.allSettled(inOrder.map(found => giveVerdict(node, models, found, together, signal)))
  for (const ended of given) if (ended.status === 'rejected') throw ended.reason
}

/** A case to judge; cases are read in the order of their places. */
type PlacedCase = AppealCase & { place: string }

/**
 * Orders cases: second appeals first, then by the number of committee seats that dispute the score (without seats that juries contradicted
 * recently), then in an order that the beacon draws. All jurors have the same order. So if there are more appeals than can be read, whole juries read
 * the same ones, and appeals of undisputed scores take no time from the others.
 *
 * @see docs/adr/0198-a-dispute-counts-if-juries-agreed-with-its-seat.md
 */
async function orderCases(
  node: PeerNode,
  due: readonly AppealCase[],
  openedRound: number,
  { facts }: ReadTogether,
): Promise<PlacedCase[]> {
  const beacon = (await beaconOf(node, openedRound)) ?? ZERO_HASH
  // A single case needs no order.
  const records = due.length < 2 ? new Map() : await readDisputeRecords(node, facts, openedRound).catch(() => new Map())
  const votesOn = async ({ round, peerKey }: AppealCase) => {
    const [commitments, votes] = await Promise.all([facts.commitments(round), facts.votes(round)])
    return ballotsOn({ commitments, votes }, peerKey)
  }
  const placed = due.map(async found => {
    const disputing = disputedBy(await votesOn(found).catch(() => []), found.settledMilli, records)
    const lot = roundSeed('jury', node.chainId, openedRound, beacon, found.peerKey, found.round)
    return { ...found, place: `${2 - found.level}${COMMITTEE_SEATS - disputing}${lot}` }
  })
  return (await Promise.all(placed)).sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** Recomputes the peer's score, as a committee would, and seals it. A seat that could not read it abstains, which counts for the standing score. */
async function giveVerdict(
  node: PeerNode,
  models: Models,
  found: PlacedCase,
  together: ReadTogether,
  signal: AbortSignal,
): Promise<void> {
  const { chain, identity, logger } = node
  const { round, peerKey, level, openedRound, place } = found
  const position = (await chain.readJury(round, peerKey)).indexOf(identity.peerKey)
  const isParty = found.appellant === chain.account || (await chain.readAccountOf(peerKey)) === chain.account
  if (position < 0 || isParty || !(await node.playsIn(round))) return
  const seats = await firstSeatsThatScored(node, found)
  const scoreMilli = await scoreAgain(node, models, { round, peerKey, seats, place }, signal, together)
  if (typeof scoreMilli === 'object' && scoreMilli !== null)
    return logger.warn('no verdict: this node holds no base of the work', { round, peerKey, level, ...scoreMilli })
  if (scoreMilli === null)
    return logger.warn('no verdict: this node could not read the work, or had no time for it', {
      round,
      peerKey,
      level,
    })
  const { sealed, opened } = chain.giveVerdict({ round, peerKey, level, openedRound, position, scoreMilli })
  const about = { round, peerKey, appeal: level, scoreMilli }
  // Not awaited: it is opened in the next round.
  void sealed.then(outcome => reportOutcome(logger, 'verdict sealed', outcome, about))
  void opened.then(outcome => reportOutcome(logger, 'verdict opened', outcome, about))
}

/** For a second appeal: the seats of the first jury that found something to score. */
async function firstSeatsThatScored({ chain }: PeerNode, found: AppealCase): Promise<PeerKey[]> {
  if (found.level === 1) return []
  const verdicts = await chain.readVerdicts({ ...found, level: 1, openedRound: found.openedRound - phase.settling })
  return verdicts.filter(({ scoreMilli }) => scoreMilli !== UNAVAILABLE).map(({ seatKey }) => seatKey)
}
