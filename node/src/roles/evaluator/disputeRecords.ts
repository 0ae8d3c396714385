import { UNAVAILABLE } from '@waggle/deployments/protocol'
import type { JudgedAppeal } from '#chain/challenges/judgedAppeals.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ballotsOn } from '../appellant/chooseScores.ts'
import { type Ballot, isClearlyOff } from '../appellant/weighAppeal.ts'
import type { RoundFacts } from '../checking/scoreAgain.ts'
import { juryVerdict } from '../checking/voteVerdict.ts'
import type { PeerNode } from '../peerNode.ts'

/** Rounds whose verdicts count. */
export const RECORD_ROUNDS = 8

/** By seat, the number of its disputes that a jury contradicted, minus those that a jury upheld. */
export type DisputeRecords = Map<PeerKey, number>

/** Ballots whose score clearly differs from the settled one. `unavailable` is not a dispute: the peer may have hidden its work from the seat. */
function disputesOf(ballots: readonly Ballot[], settledMilli: number): Ballot[] {
  return ballots.filter(({ vote }) => vote !== UNAVAILABLE && isClearlyOff(vote, settledMilli))
}

/** Number of seats that dispute a score, without those that juries contradicted more often than they upheld. */
export function disputedBy(ballots: readonly Ballot[], settledMilli: number, records: DisputeRecords): number {
  return disputesOf(ballots, settledMilli).filter(({ seatKey }) => (records.get(seatKey) ?? 0) <= 0).length
}

/**
 * Adds a jury's verdict on an appeal. Without a verdict nothing is added: a case that nobody had time to read discredits no seat. Only a settled
 * score can uphold disputes: a peer that serves its work to some seats and then to the jury would uphold them at will.
 *
 * @see docs/adr/0209-only-a-score-upholds-who-disputed-it.md
 */
export function recordDisputes(
  records: DisputeRecords,
  ballots: readonly Ballot[],
  { outcome, scoreMilli: settledMilli }: Pick<Settlement, 'outcome' | 'scoreMilli'>,
  { verdicts, drawn }: Pick<JudgedAppeal, 'verdicts' | 'drawn'>,
): void {
  const verdict = juryVerdict(verdicts, drawn, settledMilli)
  if (verdict === null) return
  const isUpheld = isClearlyOff(verdict, settledMilli)
  if (isUpheld && outcome !== 'scored') return
  for (const { seatKey } of disputesOf(ballots, settledMilli))
    records.set(seatKey, (records.get(seatKey) ?? 0) + (isUpheld ? -1 : 1))
}

/** The records of the last rounds, as the chain has them at the end of a round. */
export async function readDisputeRecords(
  { chain }: PeerNode,
  facts: Pick<RoundFacts, 'commitments' | 'votes' | 'settlements'>,
  lastRound: number,
): Promise<DisputeRecords> {
  const records: DisputeRecords = new Map()
  for (const judged of await chain.readJudgedAppeals({ first: lastRound - RECORD_ROUNDS + 1, last: lastRound })) {
    const { round, peerKey } = judged
    const [commitments, votes] = await Promise.all([facts.commitments(round), facts.votes(round)])
    // As the chain settled it: it leaves out votes of the peer's own account, and a committee may have fewer seats.
    const settled = (await facts.settlements(round)).find(one => one.peerKey === peerKey)
    if (settled !== undefined) recordDisputes(records, ballotsOn({ commitments, votes }, peerKey), settled, judged)
  }
  return records
}
