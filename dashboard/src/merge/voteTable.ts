import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import type { Outcome } from './peerHistory.ts'

export interface NamedPeer {
  peerKey: string
  peerId: string
  name: string
}

/** One evaluator's vote on one peer, as far as it is known. */
export type Vote = { state: 'absent' } | { state: 'sealed' } | { state: 'opened'; scoreMilli: number | null }

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
}

/** A peer by its name, as far as it is known. */
export function named(peerKey: string, peer: { peerId: string; name: string } | null | undefined): NamedPeer {
  return { peerKey, peerId: peer?.peerId ?? peerKey, name: peer?.name ?? 'unregistered peer' }
}

/** Most seats of a committee, by the contract. */
const COMMITTEE_SEATS = 5

/** Every peer that committed to rollouts against every evaluator that may have been drawn, with what each said of each. */
export function voteTable(record: RoundAnswer): VoteTable {
  const sealed = new Set(record.voteCommits.items.map(({ evaluatorKey }) => evaluatorKey))
  // Up to five, all are drawn; of more, those who voted are the ones that are known to have been.
  const isAll = record.evaluatorSeats.items.length <= COMMITTEE_SEATS
  const evaluators = record.evaluatorSeats.items
    .filter(({ peerKey }) => isAll || sealed.has(peerKey))
    .map(({ peerKey, evaluator }) => named(peerKey, evaluator?.peer))
    .sort((a, b) => a.name.localeCompare(b.name))
  const commits = new Map(record.voteCommits.items.map(commit => [commit.evaluatorKey, commit]))
  const votes = new Map(record.votes.items.map(vote => [`${vote.evaluatorKey} ${vote.peerKey}`, vote]))
  const settlements = new Map(record.settlements.items.map(settlement => [settlement.peerKey, settlement]))

  const voteOf = (evaluatorKey: string, peerKey: string): Vote => {
    const vote = votes.get(`${evaluatorKey} ${peerKey}`)
    if (vote) return { state: 'opened', scoreMilli: vote.scoreMilli }
    const commit = commits.get(evaluatorKey)
    // One that opened its votes and has none on this peer did not score it.
    return commit && commit.revealedAtSec === null ? { state: 'sealed' } : { state: 'absent' }
  }
  const rows = record.rolloutCommitments.items.map(({ peerKey, leafCount, peer }) => {
    const settlement = settlements.get(peerKey)
    return {
      peer: named(peerKey, peer),
      rollouts: leafCount,
      votes: evaluators.map(evaluator => voteOf(evaluator.peerKey, peerKey)),
      outcome: settlement?.outcome ?? null,
      scoreMilli: settlement?.scoreMilli ?? null,
      isContested: (settlement?.openChallenges ?? 0) > 0,
    }
  })
  return {
    evaluators,
    rows: rows.sort((a, b) => (b.scoreMilli ?? -1) - (a.scoreMilli ?? -1) || a.peer.name.localeCompare(b.peer.name)),
  }
}
