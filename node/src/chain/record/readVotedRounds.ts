import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { type LogPlace, placeOf } from '../challenges/rulings.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readBootstrapRounds } from '../peers/readStake.ts'
import { replaySeats, type SeatChange } from '../votes/replaySeats.ts'
import { openRounds, type RoundVotes } from './openRounds.ts'
import { readVotingEvents, type VotingEvent } from './votingEvents.ts'

/** A round with all that decides its scores. */
export type VotedRound = {
  round: number
  votes: RoundVotes
  /** Evaluators that sat on the round, in the order of their seats. */
  seats: readonly PeerKey[]
  /** The account that spoke for a peer when an event was emitted; null before it was registered. */
  accountAt: (peerKey: PeerKey, place: LogPlace) => AccountAddress | null
}

/**
 * Every vote, settlement, ruling and seat since the deployment, from events, round by round: the contract keeps seats of the last few rounds only.
 * A round comes as soon as nothing more can follow on it, so that no more than a few are in memory.
 *
 * @param through - the last block that is read. Rounds that are not over by then come last.
 */
export async function* readVotedRounds(
  chain: ChainClient,
  contracts: Contracts,
  through: bigint,
): AsyncGenerator<VotedRound> {
  const bootstrapRounds = await readBootstrapRounds(chain, contracts)
  const accounts = replayAccounts()
  const seatChanges: SeatChange[] = []
  const open = openRounds()
  const voted = ([round, votes]: [number, RoundVotes]): VotedRound => {
    return { round, votes, seats: replaySeats(seatChanges, bootstrapRounds)(round), accountAt: accounts.accountAt }
  }
  for await (const log of readVotingEvents(chain, contracts, through)) {
    accounts.take(log)
    if (log.eventName === 'EvaluatorAdmitted' || log.eventName === 'EvaluatorRemoved')
      seatChanges.push({ eventName: log.eventName, args: log.args })
    for (const over of open.take(log)) yield voted(over)
  }
  for (const left of open.rest()) yield voted(left)
}

/** The accounts of peers over time. */
function replayAccounts() {
  const accounts = new Map<PeerKey, (LogPlace & { account: AccountAddress })[]>()
  return {
    take(log: VotingEvent): void {
      if (log.eventName !== 'PeerRegistered' && log.eventName !== 'PeerMoved') return
      const { peerKey } = log.args
      const account = log.eventName === 'PeerRegistered' ? log.args.account : log.args.to
      const known = accounts.get(peerKey)
      if (known === undefined) accounts.set(peerKey, [{ account, ...placeOf(log) }])
      else known.push({ account, ...placeOf(log) })
    },
    accountAt: (peerKey: PeerKey, place: LogPlace): AccountAddress | null =>
      accounts.get(peerKey)?.findLast(one => isBefore(one, place))?.account ?? null,
  }
}

const isBefore = (one: LogPlace, other: LogPlace) =>
  one.block < other.block || (one.block === other.block && one.logIndex < other.logIndex)
