import { FINALITY_ROUNDS, settlementOutcomes } from '@waggle/deployments/protocol'
import type { Beacon, PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { type LogPlace, placeOf, type Ruling, rulingOf } from '../challenges/rulings.ts'
import type { Settlement } from '../votes/readSettlements.ts'
import type { VotingEvent } from './votingEvents.ts'

/** The chain's events of one round's votes, and their outcome. */
export type RoundVotes = {
  /** Null if the round is void. */
  beacon: Beacon | null
  /** Beacon of the round before; null if that round is void. */
  beaconBefore: Beacon | null
  /** A peer's place among those of the round, by first commitment. */
  ordinals: Map<PeerKey, number>
  /** Revealed ballots: a score for each peer of the shard, in order of their places. */
  ballots: { evaluatorKey: PeerKey; shard: number; scoresMilli: readonly number[] }[]
  settlements: (Settlement & LogPlace)[]
  rulings: Ruling[]
}

/** `cases`: demands for leaves and appeals that are open. */
type OpenRound = RoundVotes & { cases: number }

/** Rounds on which events can still follow, from the events in the order of the chain. */
export function openRounds() {
  const rounds = new Map<number, OpenRound>()
  let newest = 0

  function roundOf(round: bigint | number): OpenRound {
    const number = Number(round)
    const known = rounds.get(number)
    if (known !== undefined) return known
    const beaconBefore = number === 0 ? ZERO_HASH : (rounds.get(number - 1)?.beacon ?? null)
    const lists = { ordinals: new Map(), ballots: [], settlements: [], rulings: [] }
    const fresh: OpenRound = { beacon: null, beaconBefore, ...lists, cases: 0 }
    rounds.set(number, fresh)
    return fresh
  }

  function add(log: VotingEvent): void {
    const ruled = rulingOf(log)
    if (ruled !== null) roundOf(ruled.round).rulings.push(ruled.ruling)
    const cases = changeOfCases(log)
    if (cases !== null) roundOf(cases.round).cases += cases.by
    if (log.eventName === 'RolloutsCommitted') roundOf(log.args.round).ordinals.set(log.args.peerKey, log.args.ordinal)
    if (log.eventName === 'BeaconDrawn') {
      const { round, beacon } = log.args
      roundOf(round).beacon = beacon
      const next = rounds.get(Number(round) + 1)
      if (next !== undefined) next.beaconBefore = beacon
    }
    if (log.eventName === 'VotesRevealed') {
      // Without the roots, which take more than all else.
      const { round, evaluatorKey, shard, scoresMilli } = log.args
      roundOf(round).ballots.push({ evaluatorKey, shard, scoresMilli })
    }
    if (log.eventName === 'Settled') {
      const { round, peerKey, scoreMilli, votes } = log.args
      const outcome = settlementOutcomes[log.args.outcome] ?? 'none'
      roundOf(round).settlements.push({ peerKey, scoreMilli, votes, outcome, ...placeOf(log) })
    }
  }

  return {
    /** @returns the rounds that are over by this event: nothing new begins on a final round, and what is open on it can be closed at any time. */
    take(log: VotingEvent): [round: number, votes: RoundVotes][] {
      add(log)
      if (log.eventName !== 'RolloutsCommitted' || log.args.round <= newest) return []
      newest = Number(log.args.round)
      const over = [...rounds].filter(([round, { cases }]) => round + FINALITY_ROUNDS < newest && cases <= 0)
      for (const [round] of over) rounds.delete(round)
      return over
    },
    rest: (): [round: number, votes: RoundVotes][] => [...rounds],
  }
}

function changeOfCases(log: VotingEvent): { round: bigint; by: 1 | -1 } | null {
  switch (log.eventName) {
    case 'LeafDemanded':
      return { round: log.args.round, by: 1 }
    case 'AppealOpened':
      return log.args.level === 1 ? { round: log.args.round, by: 1 } : null
    case 'LeafShown':
    case 'LeafWithheld':
    case 'AppealClosed':
      return { round: log.args.round, by: -1 }
    default:
      return null
  }
}
