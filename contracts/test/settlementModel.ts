/**
 * A reference model of settlement in exact integers. Its only input is what actors did; the contracts must agree with it.
 *
 * It has no packed words, shards by slot, ring buffers or histories: a ballot is a map, earnings are a list of shares.
 */
import { EMISSION_WEI, UNAVAILABLE } from '../../deployments/protocol.ts'

export { EMISSION_WEI, UNAVAILABLE }

interface ModelPeer {
  readonly key: string
  readonly account: string
}

/** One evaluator on a committee, and what it did: silent, sealed, or opened with a score for each peer of the shard. */
export interface ModelSeat {
  readonly account: string
  readonly sealed: boolean
  /** By the peer's place in the shard; null if it was never opened. */
  readonly opened: readonly number[] | null
}

export interface Verdict {
  readonly outcome: 'scored' | 'unavailable' | 'no quorum'
  readonly scoreMilli: number
  readonly votes: number
}

/** The verdict on a peer at a place of a shard. */
export function verdictOn(peer: ModelPeer, place: number, committee: readonly ModelSeat[]): Verdict {
  const votes = committee
    .filter(seat => seat.account !== peer.account)
    .flatMap(({ opened }) => (opened === null ? [] : [opened[place] as number]))
  const quorum = Math.max(2, Math.floor(committee.length / 2) + 1)
  if (votes.length < quorum) return { outcome: 'no quorum', scoreMilli: 0, votes: votes.length }
  const available = votes.filter(score => score !== UNAVAILABLE).length
  const missing = votes.length - available
  if (missing > available) return { outcome: 'unavailable', scoreMilli: 0, votes: votes.length }
  return { outcome: 'scored', scoreMilli: medianOf(votes), votes: votes.length }
}

/**
 * Weight of a round in later ones while an appeal of its outcome `unavailable` is open: the lower median of the votes that are scores,
 * times their share of all, and 0 where fewer than two are.
 */
export function votedOf(votes: readonly number[]): number {
  const scored = votes.filter(score => score !== UNAVAILABLE).length
  return scored < 2 ? 0 : Math.floor((medianOf(votes) * scored) / votes.length)
}

/** The lower median of the votes that are scores, 0 where none is. */
export function medianOf(votes: readonly number[]): number {
  const available = votes.filter(score => score !== UNAVAILABLE).sort((a, b) => a - b)
  return available[Math.ceil(available.length / 2) - 1] ?? 0
}

/** Whether of most committees of a round, or of all, no quorum opened: then nobody is blamed for an absence. */
export function isOutage(committees: readonly (readonly ModelSeat[])[]): boolean {
  const heard = committees.filter(seats => {
    const opened = seats.filter(seat => seat.opened !== null).length
    return opened >= 2 && opened * 2 > seats.length
  }).length
  return heard === 0 || heard * 2 < committees.length
}

/** Misses of a seat after a shard is judged; `before` is what it had. */
export function missesAfter({ sealed, opened }: ModelSeat, before: number, outage: boolean): number {
  if (opened !== null) return 0
  if (outage) return before
  return before + (sealed ? 3 : 1)
}

/** Counted rounds over which a key's scores are averaged, the paid one included. */
export const WINDOW = 8

/**
 * Weight of a score in its round's emission, in 32nds of a thousandth: at most five quarters of the mean of the key's last eight.
 *
 * @param beforeMilli - sum of the scores of the seven counted rounds before.
 */
export function weightOf(scoreMilli: number, beforeMilli: number): number {
  return Math.min(4 * WINDOW * scoreMilli, 5 * (beforeMilli + scoreMilli))
}

/** Counted rounds until the mean of their weights forgets. */
const SPAN = 32

/** The mean weight of the counted rounds so far: of all of them while they are few, then each counts a 32nd of what the others leave. */
export function meanWeightOf(weights: readonly number[]): number {
  return weights.reduce((mean, weight, at) => {
    const span = Math.min(at + 1, SPAN)
    return Math.floor((mean * (span - 1) + weight) / span)
  }, 0)
}

/** Parts of a round's emission, rounded down. @param meanWeight - the least that they are parts of. */
export function sharesOf(parts: readonly number[], emissionWei: bigint, meanWeight = 0): bigint[] {
  const sum = parts.reduce((all, part) => all + BigInt(part), 0n)
  const total = sum < BigInt(meanWeight) ? BigInt(meanWeight) : sum
  return parts.map(part => (total === 0n ? 0n : (emissionWei * BigInt(part)) / total))
}
