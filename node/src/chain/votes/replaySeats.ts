import type { PeerKey } from '#core/hashes.ts'

/** The event of a seat that is given or lost. `fromRound`: the first round with the change. */
export type SeatChange = {
  eventName: 'EvaluatorAdmitted' | 'EvaluatorRemoved'
  args: { peerKey: PeerKey; fromRound: bigint; isStaked: boolean }
}

/**
 * The seats of every round, in the order in which the contract draws committees from them.
 *
 * As in `EvaluatorSeats`, an admission takes the next seat, and a removal moves the last evaluator into the gap. Seats of the role and
 * staked seats are two lists, of which the second counts from the end of bootstrap on.
 *
 * @param changes - all of both lists, in the order of the chain.
 * @param bootstrapRounds - first round whose seats need stakes.
 */
export function replaySeats(
  changes: readonly SeatChange[],
  bootstrapRounds: number,
): (round: number) => readonly PeerKey[] {
  return round => {
    const seats: PeerKey[] = []
    for (const { eventName, args } of changes) {
      if (args.isStaked !== round >= bootstrapRounds || args.fromRound > round) continue
      if (eventName === 'EvaluatorAdmitted') seats.push(args.peerKey)
      else leave(seats, args.peerKey)
    }
    return seats
  }
}

function leave(seats: PeerKey[], peerKey: PeerKey): void {
  const gap = seats.indexOf(peerKey)
  const last = seats.pop()
  if (last !== undefined && gap !== seats.length) seats[gap] = last
}
