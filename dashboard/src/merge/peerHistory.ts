import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { type EarningSource, PEER_ROUNDS, PEER_ROWS, type PeerAnswer } from '#sources/getPeerRecord.ts'
import type { AppealableScore } from './appeals/appealLabel.ts'
import { appealText } from './appeals/appealText.ts'
import { rulings } from './appeals/rulings.ts'
import { demandText } from './challengeRows.ts'
import type { Outcome } from './voteTable.ts'

/** Work of a peer in one round and its outcome. A field is null if the peer did nothing of the kind, or nothing came yet. */
export interface PeerRound {
  round: number
  tasks: number | null
  /** Whether it was shown to have withheld its secret, and its tasks with it. */
  hasWithheld: boolean
  rollouts: number | null
  /** Shard of its rollouts; 0 where it has none. */
  shard: number
  /** An evaluator's own votes. */
  voted: 'sealed' | 'opened' | null
  /** Revealed votes on this peer, in thousandths; null for 'unavailable'. */
  votesOnIt: (number | null)[]
  outcome: Outcome | null
  scoreMilli: number | null
  /** Whether a demand or an appeal against it is open. */
  isContested: boolean
  /** Demands of its leaves and the appeal of its score, each in a sentence. */
  challenges: string[]
  /** Nectar of the round, wei, by what earned it; empty until the chain owes any. */
  earnings: { source: EarningSource; amountWei: string }[]
}

/** One row for each of the newest rounds in which the peer did anything, newest first. */
export function peerHistory(record: PeerAnswer): PeerRound[] {
  const rows = new Map<number, PeerRound>()
  const row = (round: number): PeerRound => {
    const known = rows.get(round)
    if (known) return known
    const deeds = { tasks: null, hasWithheld: false, rollouts: null, shard: 0, voted: null, votesOnIt: [] }
    const fresh = { round, ...deeds, outcome: null, scoreMilli: null, isContested: false, challenges: [], earnings: [] }
    rows.set(round, fresh)
    return fresh
  }
  for (const { round, count } of record.proposals.items) row(round).tasks = count
  for (const { round } of record.withheldSecrets.items) row(round).hasWithheld = true
  for (const { round, leafCount, ordinal } of record.rolloutCommitments.items)
    Object.assign(row(round), { rollouts: leafCount, shard: Math.floor(ordinal / SHARD_PEERS) })
  for (const { round, revealedAtSec } of record.voteCommits.items)
    row(round).voted = revealedAtSec === null ? 'sealed' : 'opened'
  for (const { round, scoreMilli } of record.votes.items) row(round).votesOnIt.push(scoreMilli)
  for (const { round, outcome, scoreMilli, openChallenges } of record.settlements.items)
    Object.assign(row(round), { outcome, scoreMilli, isContested: openChallenges > 0 })
  for (const { round, ...leaf } of record.leafDemands.items) row(round).challenges.push(demandText(leaf))
  for (const { round, ...found } of record.appealCases.items) row(round).challenges.push(appealText(found))
  for (const { round, ...earning } of record.earnings.items) row(round).earnings.push(earning)
  const from = firstWholeRound(record)
  const whole = [...rows.values()].filter(({ round }) => round >= from)
  return whole.sort((a, b) => b.round - a.round).slice(0, PEER_ROUNDS)
}

/**
 * The first round of which every list of a record has all, except for demands. A list that came back full has no older rounds, and may have a
 * part of its oldest. Anyone may make demands, so a full list of them hides older demands, and not the rounds.
 */
function firstWholeRound(record: PeerAnswer): number {
  const { proposals, withheldSecrets, rolloutCommitments, settlements, appealCases } = record
  const oldest = ({ items }: { items: { round: number }[] }, most: number) =>
    items.length < most ? -1 : (items.at(-1)?.round ?? -1)
  const oneEach = [proposals, withheldSecrets, rolloutCommitments, settlements, appealCases]
  const several = [
    oldest(record.voteCommits, PEER_ROUNDS),
    oldest(record.votes, PEER_ROWS),
    oldest(record.earnings, PEER_ROWS),
  ]
  return Math.max(...oneEach.map(list => oldest(list, PEER_ROUNDS)), ...several.map(round => round + 1))
}

/** Scores over rounds, oldest first, for a chart. A round with another outcome has no score, which is not a score of 0. */
export function scoreSeries(history: PeerRound[]): { round: number; score: number }[] {
  return history
    .filter(({ outcome }) => outcome === 'scored')
    .map(({ round, scoreMilli }) => ({ round, score: (scoreMilli ?? 0) / 1000 }))
    .reverse()
}

const appealable: readonly (Outcome | null)[] = ['scored', 'unavailable', 'noQuorum']

/** Settled scores that the contract takes appeals of, newest first: not of a void round, or one that was lost for a leaf. */
export function settledScores(
  history: PeerRound[],
  { appealCases }: Pick<PeerAnswer, 'appealCases'>,
): AppealableScore[] {
  const cases = new Map(appealCases.items.map(found => [found.round, found]))
  return history.flatMap(({ round, outcome, scoreMilli }) => {
    if (!appealable.includes(outcome)) return []
    const found = cases.get(round)
    // The contract takes no appeal of a jury that found no bundle and changed nothing.
    const ruling = found && rulings(found.settledMilli, found.appeals.items, true).at(-1)
    return { round, scoreMilli: scoreMilli ?? 0, ruling: ruling ?? null }
  })
}

export type Role = 'proposer' | 'solver' | 'evaluator' | 'judge'

/** The roles that a peer's deeds show, as far as its record goes back. It judges if its account opened games of the market. */
export function peerRoles(record: PeerAnswer): Role[] {
  return record.judged === null ? roundRoles(record) : [...roundRoles(record), 'judge']
}

/** Its roles in rounds. */
export function roundRoles(record: PeerAnswer): Role[] {
  const roles: Role[] = []
  if ((record.peer?.roundsProposed ?? 0) > 0) roles.push('proposer')
  if ((record.peer?.roundsSolved ?? 0) > 0) roles.push('solver')
  if (record.evaluator !== null) roles.push('evaluator')
  return roles
}

/** Rounds in which a new peer may be seen as one that has yet to begin. */
const SETTLING_IN = 8

/** Whether the market's Judge is all that a peer is: nothing of it is in a round, though its key has counted for some. */
export function isOnlyJudge(record: PeerAnswer): boolean {
  if (record.peer === null || record.judged === null || roundRoles(record).length > 0) return false
  const counted = (record.clock?.latestRound ?? 0) - record.peer.countsFromRound
  return counted >= SETTLING_IN && peerHistory(record).length === 0
}

/** Whether a peer earns points; one without a deed yet may. */
export function isSolver(record: PeerAnswer): boolean {
  const roles = roundRoles(record)
  return roles.includes('solver') || (roles.length === 0 && !isOnlyJudge(record))
}
