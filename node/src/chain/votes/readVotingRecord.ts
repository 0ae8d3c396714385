import { settlementOutcomes } from '@waggle/deployments/protocol'
import type { AccountAddress, Beacon, PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import { type LogPlace, type Ruling, rulingOf } from '../challenges/rulings.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readBootstrapRounds } from '../peers/readStake.ts'
import { EVENT_RANGE_BLOCKS } from '../eventRanges.ts'
import type { Settlement } from './readSettlements.ts'
import { replaySeats, type SeatChange } from './replaySeats.ts'

/** The chain's events of one round's votes, and their outcome. */
export type RoundVotes = {
  /** Null if the round is void. */
  beacon: Beacon | null
  /** A peer's place among those of the round, by first commitment. */
  ordinals: Map<PeerKey, number>
  /** Revealed ballots: a score for each peer of the shard, in order of their places. */
  ballots: { evaluatorKey: PeerKey; shard: number; scoresMilli: readonly number[] }[]
  settlements: (Settlement & LogPlace)[]
  rulings: Ruling[]
}

export type VotingRecord = {
  rounds: Map<number, RoundVotes>
  /** The account that spoke for a peer when an event was emitted; null before it was registered. */
  accountAt: (peerKey: PeerKey, place: LogPlace) => AccountAddress | null
  /** Evaluators that sat on a round, in the order of their seats. */
  seatsAt: (round: number) => readonly PeerKey[]
}

/**
 * Every vote, settlement, ruling and seat since the deployment, from events: the contract keeps seats of the last few rounds only.
 *
 * @param through - the last block that is read.
 */
export async function readVotingRecord(
  client: ChainClient,
  contracts: Contracts,
  through: bigint,
): Promise<VotingRecord> {
  const { rpc, rpcUrl } = client
  const rounds = new Map<number, RoundVotes>()
  const roundOf = (round: bigint): RoundVotes => {
    const known = rounds.get(Number(round))
    if (known !== undefined) return known
    const fresh: RoundVotes = { beacon: null, ordinals: new Map(), ballots: [], settlements: [], rulings: [] }
    rounds.set(Number(round), fresh)
    return fresh
  }
  const seatChanges: SeatChange[] = []
  const accounts = new Map<PeerKey, (LogPlace & { account: AccountAddress })[]>()
  const speaks = (peerKey: PeerKey, account: AccountAddress, log: RawPlace) =>
    accounts.set(peerKey, [...(accounts.get(peerKey) ?? []), { account, ...placeOf(log) }])

  for (let fromBlock = BigInt(contracts.startBlock); fromBlock <= through; fromBlock += BigInt(EVENT_RANGE_BLOCKS)) {
    const last = fromBlock + BigInt(EVENT_RANGE_BLOCKS - 1)
    const range = { fromBlock, toBlock: last < through ? last : through, strict: true } as const
    const [registry, beacons, work, votes, challenges] = await callChain(rpcUrl, () =>
      Promise.all([
        rpc.getContractEvents({ ...contracts.peerRegistry, ...range }),
        rpc.getContractEvents({ ...contracts.rounds, eventName: 'BeaconDrawn', ...range }),
        rpc.getContractEvents({ ...contracts.rolloutCommitments, eventName: 'RolloutsCommitted', ...range }),
        rpc.getContractEvents({ ...contracts.rewardVotes, ...range }),
        rpc.getContractEvents({ ...contracts.challenges, ...range }),
      ]),
    )
    for (const log of registry) {
      if (log.eventName === 'PeerRegistered') speaks(log.args.peerKey, log.args.account, log)
      if (log.eventName === 'PeerMoved') speaks(log.args.peerKey, log.args.to, log)
    }
    for (const { args } of beacons) roundOf(args.round).beacon = args.beacon
    for (const { args } of work) roundOf(args.round).ordinals.set(args.peerKey, args.ordinal)
    for (const log of votes) {
      const { eventName, args } = log
      if (log.eventName === 'EvaluatorAdmitted' || log.eventName === 'EvaluatorRemoved') seatChanges.push(log)
      if (eventName === 'VotesRevealed') roundOf(args.round).ballots.push(args)
      if (eventName !== 'Settled') continue
      const outcome = settlementOutcomes[args.outcome] ?? 'none'
      roundOf(args.round).settlements.push({ ...args, outcome, ...placeOf(log) })
    }
    for (const log of challenges) {
      const found = rulingOf(log)
      if (found !== null) roundOf(BigInt(found.round)).rulings.push(found.ruling)
    }
  }
  const accountAt = (peerKey: PeerKey, place: LogPlace) =>
    accounts.get(peerKey)?.findLast(one => isBefore(one, place))?.account ?? null
  const seatsAt = replaySeats(seatChanges, await readBootstrapRounds(client, contracts))
  return { rounds, accountAt, seatsAt }
}

type RawPlace = { blockNumber: bigint; logIndex: number }

const placeOf = ({ blockNumber, logIndex }: RawPlace): LogPlace => ({ block: Number(blockNumber), logIndex })

const isBefore = (one: LogPlace, other: LogPlace) =>
  one.block < other.block || (one.block === other.block && one.logIndex < other.logIndex)
