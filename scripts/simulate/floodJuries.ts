import { COMMITTEE_SEATS, SHARD_PEERS } from '../../deployments/protocol.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { juryVerdict } from '../../node/src/roles/audit/voteVerdict.ts'
import { disputedBy } from '../../node/src/roles/evaluator/judgeAppeals.ts'

/** Seats of a first jury. */
const FIRST_JURY = 11
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
  /** What jurors read first: what the committee disputes, or what the beacon draws. */
  order: 'disputed' | 'drawn'
  isFlooded: boolean
}

export type Flooded = {
  /** False scores, and those that an appeal puts right. */
  falsified: number
  righted: number
  /** Nectar that the coalition's appeals cost. */
  cost: number
}

type Case = { votes: number[]; settledMilli: number; lot: number }

/** Plays rounds by the rules of drawing, reading and deciding; honest peers appeal every false score. */
export function floodJuries(flood: Flood, rounds: number): Flooded {
  const random = seededRandom(`flood ${flood.seats} ${flood.ownSeats}`).next
  const sum: Flooded = { falsified: 0, righted: 0, cost: 0 }
  for (let round = 0; round < rounds; round++) playRound(flood, random, sum)
  return sum
}

function playRound(flood: Flood, random: () => number, sum: Flooded): void {
  const { seats, ownSeats, reads, order } = flood
  const cases = appealed(flood, random)
  const disputing = (one: Case) => (order === 'disputed' ? disputedBy(one.votes, one) : 0)
  cases.sort((a, b) => disputing(b) - disputing(a) || a.lot - b.lot)
  const read = new Array<number>(seats).fill(0)
  for (const { settledMilli } of cases) {
    const jury = drawn(seats, FIRST_JURY, random)
    const honest = jury.filter(seat => seat >= ownSeats && (read[seat] as number) < reads)
    for (const seat of honest) read[seat] = (read[seat] as number) + 1
    // The coalition's seats say what it says: its false scores, and nothing on those that it appeals.
    const own = settledMilli === FALSE ? jury.filter(seat => seat < ownSeats) : []
    const verdict = juryVerdict([...honest.map(() => RIGHT), ...own.map(() => FALSE)], jury.length, settledMilli)
    if (settledMilli === FALSE) {
      sum.falsified += 1
      if (verdict === RIGHT) sum.righted += 1
    } else sum.cost += verdict === RIGHT ? COSTS.confirmed : honest.length > 0 ? COSTS.heard : COSTS.unread
  }
}

/** The scores of a round that are appealed, with the votes of their committees. */
function appealed({ seats, ownSeats, peers, falsified, isFlooded }: Flood, random: () => number): Case[] {
  const cases: Case[] = []
  for (let first = 0; first < peers; first += SHARD_PEERS) {
    const held = drawn(seats, COMMITTEE_SEATS, random).filter(seat => seat < ownSeats).length
    const isMost = 2 * held > COMMITTEE_SEATS
    // Of what it appeals so many of its seats say otherwise as leave the score as it is.
    const disputing = Math.min(held, (COMMITTEE_SEATS - 1) / 2)
    for (let at = first; at < Math.min(peers, first + SHARD_PEERS); at++) {
      const isFalse = isMost && at < first + falsified
      if (!isFalse && !isFlooded) continue
      const others = isFalse ? held : disputing
      const votes = Array.from({ length: COMMITTEE_SEATS }, (_, seat) => (seat < others ? FALSE : RIGHT))
      cases.push({ votes, settledMilli: isFalse ? FALSE : RIGHT, lot: random() })
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
