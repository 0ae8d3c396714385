import { COMMITTEE_SEATS, SHARD_PEERS } from '../../deployments/protocol.ts'
import type { PeerKey } from '../../node/src/core/hashes.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Ballot } from '../../node/src/roles/appellant/weighAppeal.ts'
import { juryVerdict } from '../../node/src/roles/checking/voteVerdict.ts'
import {
  type DisputeRecords,
  disputedBy,
  RECORD_ROUNDS,
  recordDisputes,
} from '../../node/src/roles/evaluator/disputeRecords.ts'

/** Seats of a first jury. */
const FIRST_JURY = 11
/** Rounds from an appeal to the first whose jurors know the verdict when they put cases in order. */
const KNOWN_AFTER = 2
const [RIGHT, FALSE] = [500, 1000]
/** Nectar that an appeal of a right score costs: gas; with half of its bond if a seat comes; with all of it if the score is confirmed. */
const COSTS = { unread: 0.2, heard: 5.2, confirmed: 10.2 }

/** A round in which a coalition appeals every score that it did not falsify, so that juries have no time for those that it did. */
export type Flood = {
  seats: number
  ownSeats: number
  peers: number
  /** Cases that a juror reads in a round. */
  reads: number
  /** Scores that the coalition falsifies in a shard where it holds most of the committee. */
  falsified: number
  /** Appeals that jurors read first: those disputed by seats that juries did not contradict, those disputed by any seats, or those that the beacon draws. */
  order: 'recorded' | 'disputed' | 'drawn'
  /** Whether the coalition appeals in a round. */
  isFlooded(round: number): boolean
}

export type Flooded = {
  /** False scores, and those that an appeal puts right. */
  falsified: number
  righted: number
  /** Nectar that the coalition's appeals cost. */
  cost: number
}

type Case = { ballots: Ballot[]; settledMilli: number; lot: number }

/** Plays rounds by the rules of drawing, reading and deciding; honest peers appeal every false score. */
export function floodJuries(flood: Flood, rounds: number): Flooded {
  const random = seededRandom(`flood ${flood.seats} ${flood.ownSeats}`).next
  const sum: Flooded = { falsified: 0, righted: 0, cost: 0 }
  const judged: DisputeRecords[] = []
  for (let round = 0; round < rounds; round++) {
    const known = flood.order === 'recorded' ? judged.slice(0, Math.max(0, round - KNOWN_AFTER + 1)) : []
    judged.push(playRound(flood, { round, records: sumOf(known.slice(-RECORD_ROUNDS)) }, random, sum))
  }
  return sum
}

function sumOf(rounds: readonly DisputeRecords[]): DisputeRecords {
  const records: DisputeRecords = new Map()
  for (const round of rounds) for (const [seat, change] of round) records.set(seat, (records.get(seat) ?? 0) + change)
  return records
}

/** Returns what the round's juries say of disputes. */
function playRound(
  flood: Flood,
  { round, records }: { round: number; records: DisputeRecords },
  random: () => number,
  sum: Flooded,
): DisputeRecords {
  const { seats, ownSeats, reads, order } = flood
  const found: DisputeRecords = new Map()
  const cases = appealed(flood, round, random)
  const disputing = (one: Case) => (order === 'drawn' ? 0 : disputedBy(one.ballots, one.settledMilli, records))
  cases.sort((a, b) => disputing(b) - disputing(a) || a.lot - b.lot)
  const read = new Array<number>(seats).fill(0)
  for (const { settledMilli, ballots } of cases) {
    const jury = drawn(seats, FIRST_JURY, random)
    const honest = jury.filter(seat => seat >= ownSeats && (read[seat] as number) < reads)
    for (const seat of honest) read[seat] = (read[seat] as number) + 1
    // The coalition's seats say what it says: its false scores, and nothing on those that it appeals.
    const own = settledMilli === FALSE ? jury.filter(seat => seat < ownSeats) : []
    const verdicts = [...honest.map(() => RIGHT), ...own.map(() => FALSE)]
    const verdict = juryVerdict(verdicts, jury.length, settledMilli)
    const settled = { outcome: 'scored', scoreMilli: settledMilli } as const
    recordDisputes(found, ballots, settled, { verdicts, drawn: jury.length })
    if (settledMilli === FALSE) {
      sum.falsified += 1
      if (verdict === RIGHT) sum.righted += 1
    } else sum.cost += verdict === RIGHT ? COSTS.confirmed : honest.length > 0 ? COSTS.heard : COSTS.unread
  }
  return found
}

/** The scores of a round that are appealed, with the votes of their committees. */
function appealed(
  { seats, ownSeats, peers, falsified, isFlooded }: Flood,
  round: number,
  random: () => number,
): Case[] {
  const cases: Case[] = []
  for (let first = 0; first < peers; first += SHARD_PEERS) {
    // Its seats first.
    const committee = drawn(seats, COMMITTEE_SEATS, random).sort((a, b) => a - b)
    const held = committee.filter(seat => seat < ownSeats).length
    const isMost = 2 * held > COMMITTEE_SEATS
    // As many of its seats dispute a score as can without changing it.
    const disputing = Math.min(held, (COMMITTEE_SEATS - 1) / 2)
    for (let at = first; at < Math.min(peers, first + SHARD_PEERS); at++) {
      const isFalse = isMost && at < first + falsified
      if (!isFalse && !isFlooded(round)) continue
      const others = isFalse ? held : disputing
      const ballots = committee.map((seat, at) => ({
        seatKey: `${seat}` as PeerKey,
        vote: at < others ? FALSE : RIGHT,
      }))
      cases.push({ ballots, settledMilli: isFalse ? FALSE : RIGHT, lot: random() })
    }
  }
  return cases
}

function drawn(total: number, count: number, random: () => number): number[] {
  const pool = Array.from({ length: total }, (_, seat) => seat)
  return Array.from({ length: Math.min(count, total) }, () => {
    const [seat] = pool.splice(Math.floor(random() * pool.length), 1)
    return seat as number
  })
}
