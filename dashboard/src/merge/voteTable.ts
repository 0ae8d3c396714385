import { COMMITTEE_SEATS } from '@waggle/deployments/protocol'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'

export type Outcome = 'scored' | 'unavailable' | 'noQuorum' | 'void' | 'falseLeaf' | 'withheld'

export interface NamedPeer {
  peerKey: string
  peerId: string
  name: string
}

/** One evaluator's vote on one peer, as far as it is known: its score in thousandths once it is open. */
export type Vote = number | 'unavailable' | 'sealed' | 'absent'

export interface VoteRow {
  peer: NamedPeer
  rollouts: number | null
  /** In the order of the table's evaluators. */
  votes: Vote[]
  outcome: Outcome | null
  scoreMilli: number | null
  /** Whether a demand or an appeal against it is open. */
  isContested: boolean
}

export interface VoteTable {
  evaluators: NamedPeer[]
  rows: VoteRow[]
  /** Number of drawn seats that sealed no vote and are not among `evaluators`, because the chain did not say which they are. */
  silentSeats: number
  /** Whether it never will: the round is too old. */
  isForgotten: boolean
}

/** A peer by its name, as far as it is known. */
export function named(
  peerKey: string,
  peer: { peerId: string | null; name: string | null } | null | undefined,
): NamedPeer {
  return { peerKey, peerId: peer?.peerId ?? peerKey, name: peer?.name ?? 'unregistered peer' }
}

/** Every peer of a shard that committed to rollouts against every evaluator of its committee, with what each said of each. */
export function voteTable(record: RoundAnswer): VoteTable {
  // Up to a committee of seats, all are drawn. Without the chain's word, those who voted are the ones that are known to have been.
  const isForgotten = record.committee === 'forgotten'
  const told = record.committee === 'forgotten' ? null : record.committee
  const drawn = record.evaluatorSeats.totalCount <= COMMITTEE_SEATS ? record.evaluatorSeats.items : told
  const voters = record.voteCommits.items.map(({ evaluatorKey, peer }) => ({ peerKey: evaluatorKey, peer }))
  const evaluators = (drawn ?? voters)
    .map(({ peerKey, peer }) => named(peerKey, peer))
    .sort((a, b) => a.name.localeCompare(b.name))
  const commits = new Map(record.voteCommits.items.map(commit => [commit.evaluatorKey, commit]))
  const votes = new Map(record.votes.items.map(vote => [`${vote.evaluatorKey} ${vote.peerKey}`, vote]))

  const voteOf = (evaluatorKey: string, peerKey: string): Vote => {
    const vote = votes.get(`${evaluatorKey} ${peerKey}`)
    if (vote) return vote.scoreMilli ?? 'unavailable'
    const commit = commits.get(evaluatorKey)
    // One that opened its votes and has none on this peer did not score it.
    return commit && commit.revealedAtSec === null ? 'sealed' : 'absent'
  }
  const rows = record.roundPeers.items.map(one => ({
    peer: named(one.peerKey, one),
    rollouts: one.leafCount,
    votes: evaluators.map(evaluator => voteOf(evaluator.peerKey, one.peerKey)),
    outcome: one.outcome,
    scoreMilli: one.scoreMilli,
    isContested: one.outcome !== null && one.openChallenges > 0,
  }))
  return {
    evaluators,
    isForgotten,
    silentSeats: drawn !== null || record.round?.beacon == null ? 0 : COMMITTEE_SEATS - evaluators.length,
    rows: rows.sort((a, b) => (b.scoreMilli ?? -1) - (a.scoreMilli ?? -1) || a.peer.name.localeCompare(b.peer.name)),
  }
}
