import type { Hex } from 'viem'
import type { ModelRuling } from '../../../../contracts/test/challenges/appealModel.ts'
import {
  type ModelOpening,
  mayClaim,
  mayOpen,
  medianOpened,
  seatPay,
  taskPay,
} from '../../../../contracts/test/openings/openingsModel.ts'
import {
  EMISSION_WEI,
  isOutage,
  type ModelSeat,
  meanWeightOf,
  medianOf,
  sharesOf,
  verdictOn,
  votedOf,
  WINDOW,
  weightOf,
} from '../../../../contracts/test/settlementModel.ts'
import { SHARD_PEERS, UNAVAILABLE } from '../../../../deployments/protocol.ts'
import type { Defences } from '../defences.ts'
import type { Facts } from '../facts.ts'
import type { Drawn, Outcome, Sealed, Work } from './ledger.ts'
import type { ModelSeats } from './modelSeats.ts'

interface Cast {
  readonly ballot: Sealed
  isRevealed: boolean
}

interface Settled {
  readonly outcome: Outcome
  readonly scoreMilli: number
  /** Scores of the key in the counted rounds before, at settlement. */
  readonly beforeMilli?: number
  /** Weight for later rounds while an appeal of `unavailable` is open. */
  readonly votedMilli?: number
}

interface Round {
  readonly works: Work[]
  readonly ballots: Cast[]
  readonly outcomes: Map<Hex, Settled>
  readonly openings: { readonly shard: number; readonly opening: ModelOpening; readonly settledMilli: number }[]
  readonly closed: Set<number>
  /** Peers that were settled with points, by shard. */
  readonly scored: number[]
  /** Mean weight of the counted rounds before, when it was settled. */
  meanWeight: number
}

type AccountOf = (key: Hex) => string

const laneOf = (settled: Settled | undefined) => settled?.votedMilli ?? settled?.scoreMilli ?? 0

/** Commitments, votes, settlement, openings and pay as `contracts/test` models them, over whole rounds. */
export class ModelRounds {
  private readonly rounds = new Map<number, Round>()
  /** Settled, and not in an outage: those that a key's scores are averaged over. */
  private readonly counted: number[] = []
  /** Weight of each of them when the next was settled. */
  private readonly weights: number[] = []
  private readonly earned = new Map<Hex, bigint>()
  private readonly facts: Facts
  private readonly seats: ModelSeats
  private readonly accountOf: AccountOf
  private readonly defences: Defences

  constructor(facts: Facts, seats: ModelSeats, accountOf: AccountOf, defences: Defences) {
    this.facts = facts
    this.seats = seats
    this.accountOf = accountOf
    this.defences = defences
  }

  of(round: number): Round {
    const made = {
      works: [],
      ballots: [],
      outcomes: new Map(),
      openings: [],
      closed: new Set<number>(),
      scored: [],
      meanWeight: 0,
    }
    const known = this.rounds.get(round) ?? made
    this.rounds.set(round, known)
    return known
  }

  seal(ballot: Sealed): boolean {
    const { round, shard, position, seat } = ballot
    if (this.committee(round, shard)[position] !== seat.key) return false
    const { ballots } = this.of(round)
    if (ballots.some(cast => cast.ballot.shard === shard && cast.ballot.position === position)) return false
    ballots.push({ ballot, isRevealed: false })
    return true
  }

  reveal(ballot: Sealed): boolean {
    const cast = this.of(ballot.round).ballots.find(one => one.ballot === ballot)
    if (cast === undefined) return false
    cast.isRevealed = true
    return true
  }

  settle(round: number): void {
    const { works, outcomes, scored } = this.of(round)
    const before = this.counted.slice(1 - WINDOW).map(earlier => this.of(earlier).outcomes)
    const last = this.counted.at(-1)
    if (last !== undefined) this.weights[this.counted.length - 1] = this.weightIn(last)
    this.of(round).meanWeight = this.defences.scoresAveraged ? meanWeightOf(this.weights) : 0
    if (!isOutage(this.committees(round))) this.counted.push(round)
    for (let shard = 0; shard < this.shardsOf(round); shard++) {
      const committee = this.committee(round, shard)
      const seats = this.modelSeats(round, shard)
      for (const [position, key] of committee.entries()) {
        const { sealed, opened } = seats[position] as ModelSeat
        if (opened !== null) this.seats.forgive(key)
        else if (!this.isOutage(round)) this.seats.blame(key, sealed ? 'sealed' : 'silent')
      }
      let withPoints = 0
      for (const [place, { peer }] of works.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS).entries()) {
        if (outcomes.has(peer.key)) continue
        const { outcome, scoreMilli } = verdictOn(peer, place, seats)
        const beforeMilli = before.reduce((sum, earlier) => sum + laneOf(earlier.get(peer.key)), 0)
        outcomes.set(peer.key, { outcome, scoreMilli, beforeMilli })
        if (scoreMilli > 0) withPoints++
      }
      scored[shard] = withPoints
    }
  }

  isOutage(round: number): boolean {
    return this.defences.outagesForgiven && isOutage(this.committees(round))
  }

  /** Opened votes on a peer, by position. */
  votesOn(round: number, peerKey: Hex): { key: Hex; account: string; scoreMilli: number }[] {
    const ordinal = this.of(round).works.findIndex(({ peer }) => peer.key === peerKey)
    const shard = Math.floor(ordinal / SHARD_PEERS)
    return this.committee(round, shard).flatMap((key, position) => {
      const cast = this.castAt(round, shard, position)
      const scoreMilli = cast?.isRevealed ? cast.ballot.scores[ordinal % SHARD_PEERS]?.scoreMilli : undefined
      return scoreMilli === undefined ? [] : [{ key, account: this.accountOf(key), scoreMilli }]
    })
  }

  /** Opens an appeal. */
  hold(round: number, peerKey: Hex): void {
    const { outcomes } = this.of(round)
    const settled = outcomes.get(peerKey)
    if (settled?.outcome !== 'unavailable') return
    const own = this.accountOf(peerKey)
    const votes = this.votesOn(round, peerKey)
      .filter(({ account, scoreMilli }) => scoreMilli !== UNAVAILABLE || account !== own)
      .map(({ scoreMilli }) => scoreMilli)
    outcomes.set(peerKey, { ...settled, votedMilli: this.defences.heldByShare ? votedOf(votes) : medianOf(votes) })
  }

  /** Closes an appeal. */
  release(round: number, peerKey: Hex, { finalMilli: scoreMilli, isTaken }: ModelRuling): void {
    const { outcomes } = this.of(round)
    const { votedMilli: _, ...settled } = outcomes.get(peerKey) as Settled
    const changed = isTaken ? 'unavailable' : 'scored'
    const outcome = scoreMilli === settled.scoreMilli ? settled.outcome : changed
    outcomes.set(peerKey, { ...settled, outcome, scoreMilli })
  }

  open(ballot: Sealed, { work, ordinal }: Drawn, scoreMilli: number): boolean {
    const { round, shard, seat, position } = ballot
    const { openings, outcomes } = this.of(round)
    const settled = outcomes.get(work.peer.key)
    const voteMilli = ballot.scores[ordinal % SHARD_PEERS]?.scoreMilli
    if (!this.castAt(round, shard, position)?.isRevealed || settled === undefined || voteMilli === undefined)
      return false
    const isOwn = this.accountOf(seat.key) === this.accountOf(work.peer.key)
    if (!mayOpen(voteMilli, isOwn, { ...settled, votes: 0 } as never)) return false
    const opening = { key: seat.key, voteMilli, scoreMilli }
    openings.push({ shard, opening, settledMilli: settled.scoreMilli })
    return true
  }

  close(round: number, shard: number, { work, index }: Drawn, proposed: (key: Hex) => number): void {
    const { openings, closed, scored, meanWeight } = this.of(round)
    const opened = openings.filter(one => one.shard === shard)
    if (closed.has(shard) || opened.length === 0) return
    closed.add(shard)
    const ofRound = scored.reduce((sum, count) => sum + count, 0)
    const part = { ofShard: scored[shard] ?? 0, ofRound, weight: this.weightIn(round), meanWeight }
    const made = opened.map(({ opening }) => opening)
    for (const [key, wei] of seatPay(made, opened[0]?.settledMilli ?? 0, part)) this.earn(key as Hex, wei)
    const medianMilli = medianOpened(made)
    const task = work.leaves.find(leaf => leaf.index === index)?.task
    if (medianMilli === null || task === undefined) return
    const claim = { isNamed: true, taskIndex: task.index, count: proposed(task.peerKey) }
    if (mayClaim(claim, false)) this.earn(task.peerKey, taskPay(medianMilli, part))
  }

  earnedWei(key: Hex): bigint {
    let wei = this.earned.get(key) ?? 0n
    for (const [round, { outcomes, meanWeight }] of this.rounds) {
      const at = [...outcomes.keys()].indexOf(key)
      if (at >= 0) wei += sharesOf(this.weightsIn(round), EMISSION_WEI, meanWeight)[at] ?? 0n
    }
    return wei
  }

  /** Weights of the round's scores, by peer. */
  private weightsIn(round: number): number[] {
    const { scoresAveraged } = this.defences
    return [...this.of(round).outcomes.values()].map(({ scoreMilli, beforeMilli }) =>
      scoresAveraged ? weightOf(scoreMilli, beforeMilli ?? 0) : 32 * scoreMilli,
    )
  }

  private weightIn(round: number): number {
    return this.weightsIn(round).reduce((sum, weight) => sum + weight, 0)
  }

  private earn(key: Hex, wei: bigint): void {
    this.earned.set(key, (this.earned.get(key) ?? 0n) + wei)
  }

  private shardsOf(round: number): number {
    return Math.ceil(this.of(round).works.length / SHARD_PEERS)
  }

  private committees(round: number): ModelSeat[][] {
    return Array.from({ length: this.shardsOf(round) }, (_, shard) => this.modelSeats(round, shard))
  }

  private committee(round: number, shard: number): readonly Hex[] {
    return this.facts.committee(round, shard, this.seats.in(round))
  }

  private castAt(round: number, shard: number, position: number): Cast | undefined {
    return this.of(round).ballots.find(({ ballot }) => ballot.shard === shard && ballot.position === position)
  }

  private modelSeats(round: number, shard: number): ModelSeat[] {
    return this.committee(round, shard).map((key, position) => {
      const cast = this.castAt(round, shard, position)
      const opened = cast?.isRevealed ? cast.ballot.scores.map(({ scoreMilli }) => scoreMilli) : null
      return { account: this.accountOf(key), sealed: cast !== undefined && !cast.isRevealed, opened }
    })
  }
}
