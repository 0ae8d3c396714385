import { zeroAddress } from 'viem'
import { verdictOn } from '../../../contracts/test/settlementModel.ts'
import { SHARD_PEERS } from '../../../deployments/protocol.ts'
import { type Ballot, type VotingPlace, voteCommitment } from '../../../node/src/chain/votes/votes.ts'
import { type Hex, ZERO_HASH } from '../../../node/src/core/hex.ts'
import { verifyProof } from '../../../node/src/core/merkle.ts'
import { type LeafHeader, leafHash } from '../../../node/src/core/payloads/leaf.ts'
import { drawCommittee } from '../../../node/src/roles/draws/drawCommittee.ts'
import { roundSeed } from '../../../node/src/roles/draws/roundSeed.ts'
import { Reverted, require } from './reverted.ts'

export type Block = { number: number; timeSec: number; hash: Hex }
export type Call = { from: Hex; functionName: string; args: readonly unknown[] }
export type Log = { blockNumber: number; logIndex: number; eventName: string; args: Record<string, unknown> }

/** Fixed terms: registered and seated peers, and the times of rounds. */
export type Terms = {
  place: VotingPlace
  /** Peer key to account. */
  members: ReadonlyMap<Hex, Hex>
  /** By peer key. */
  peerIds: ReadonlyMap<Hex, string>
  seats: readonly Hex[]
  startsAtSec: number
  roundSec: number
  blockSec: number
  environmentOf: (round: number) => Hex
}

type Work = { peerKey: Hex; ordinal: number; root: Hex; leafCount: number; policyHash: Hex }
type Cast = { commitment: Hex; scoresMilli: readonly number[] | null }
export type Settled = { round: number; peerKey: Hex; outcome: string; scoreMilli: number }

/** A call in a block, and what its checks and events need. */
type Calling = Pick<Call, 'functionName' | 'args'> & {
  block: Block
  hashOf: (block: number) => Hex | undefined
  /** The block's round; `round` is the one that the call names. */
  now: number
  round: number
  emit: Emit
  requireOwner: (peerKey: Hex) => void
  requireRound: (later: number, of?: number) => void
}

type Emit = (eventName: string, args: Log['args']) => void

const outcomes = ['none', 'scored', 'unavailable', 'no quorum', 'void', 'false']
const notStarted = () => {
  throw new Reverted('Rounds_NotStarted', [0, 0])
}
const unknownPeer = (peerKey: Hex) => {
  throw new Reverted('PeerRegistry_UnknownPeer', [peerKey])
}

/**
 * Model of the contracts for calls of solvers and evaluators, without stakes, pay and appeals: rounds and their beacons,
 * commitments, votes and settlement. Verdicts are those of the model that `contracts/test` holds the contracts to.
 */
export class SwarmContracts {
  readonly logs: Log[] = []
  readonly settled = new Map<string, Settled>()
  /** Peers that somebody called false, each time that it was tried, and whether they were. */
  readonly challenged: { round: number; peerKey: Hex; isFalse: boolean }[] = []
  private readonly terms: Terms
  private readonly works = new Map<number, Map<Hex, Work>>()
  private readonly ballots = new Map<string, Cast>()
  private readonly fixed = new Map<number, number>()
  private readonly beacons = new Map<number, Hex>()

  constructor(terms: Terms) {
    this.terms = terms
    for (const [peerKey, account] of terms.members) this.log(0, 'PeerRegistered', { peerKey, account })
    for (const peerKey of terms.seats) this.log(0, 'EvaluatorAdmitted', { peerKey, fromRound: 0n, isStaked: false })
  }

  private readonly log = (blockNumber: number, eventName: string, args: Log['args']) =>
    void this.logs.push({ blockNumber, logIndex: this.logs.length, eventName, args })

  roundAt(timeSec: number): number {
    return Math.floor((timeSec - this.terms.startsAtSec) / this.terms.roundSec)
  }

  worksOf(round: number): readonly Work[] {
    return [...(this.works.get(round)?.values() ?? [])]
  }

  /** Effect of a call in a block. @throws {Reverted} */
  prepare(call: Call, block: Block, hashOf: (block: number) => Hex | undefined): () => void {
    const calling = this.callingOf(call, block, hashOf)
    const { round, requireRound } = calling
    switch (call.functionName) {
      case 'commit':
      case 'commitPolicy':
        return this.prepareWork(calling)
      case 'commitVotes':
      case 'revealVotes':
      case 'settle':
        return this.prepareVotes(calling)
      case 'fixBeacon':
        requireRound(1)
        return () => void (this.fixed.has(round) || this.fixed.set(round, block.number + 1))
      case 'drawBeacon': {
        if (this.beacons.has(round)) return () => {}
        requireRound(1)
        return this.draw(calling)
      }
      case 'challengeLeaf':
        return this.prepareChallenge(calling)
      default:
        // Pay, stakes and appeals are not simulated.
        throw new Reverted('Rounds_BeaconMissed', [Number.isInteger(round) ? round : 0, 0])
    }
  }

  /** A leaf that is shown to be false by its header. */
  private prepareChallenge({ args, round, emit }: Calling): () => void {
    type Leaf = Pick<LeafHeader, 'index' | 'taskHash' | 'policyHash' | 'seed' | 'bodyHash'>
    const [, peerKey, , leaf, proof] = args as [bigint, Hex, unknown, Leaf, readonly Hex[]]
    const { chainId } = this.terms.place
    const work = this.works.get(round)?.get(peerKey)
    const before = round === 0 ? ZERO_HASH : this.beacons.get(round - 1)
    const hash = leafHash({ ...leaf, chainId, round, peerKey })
    const seed = before && roundSeed('rollout', chainId, round, before, peerKey)
    const isCommitted = work !== undefined && verifyProof(work.root, hash, proof)
    const isFalse =
      isCommitted && (leaf.index >= work.leafCount || leaf.policyHash !== work.policyHash || leaf.seed !== seed)
    this.challenged.push({ round, peerKey, isFalse })
    require(isCommitted, 'RolloutCommitments_NotUnderRoot', [hash])
    require(isFalse, 'Challenges_LeafStands', [round, peerKey, leaf.index])
    const settled = this.settled.get(`${round}/${peerKey}`)
    require(settled?.outcome !== 'false', 'RewardVotes_AlreadyAnnulled', [round, peerKey])
    return () => {
      this.settled.set(`${round}/${peerKey}`, { round, peerKey, outcome: 'false', scoreMilli: 0 })
      emit('LeafFalse', { round: BigInt(round), peerKey, index: leaf.index, lostMilli: settled?.scoreMilli ?? 0 })
    }
  }

  private callingOf({ functionName, args, from }: Call, block: Block, hashOf: Calling['hashOf']): Calling {
    const now = this.roundAt(block.timeSec)
    const round = Number(args[0])
    const emit: Emit = (eventName, logged) => this.log(block.number, eventName, logged)
    const requireOwner = (peerKey: Hex) =>
      require(this.terms.members.get(peerKey) === from, 'RolloutCommitments_NotPeerAccount', [peerKey, from])
    const requireRound = (later: number, of = round) =>
      require(now === of + later, 'RewardVotes_WrongRound', [of, of + later, Math.max(0, now)])
    return { functionName, args, block, hashOf, now, round, emit, requireOwner, requireRound }
  }

  /** Commitments of rollouts and policies. */
  private prepareWork(calling: Calling): () => void {
    const { args, round, emit, requireOwner, requireRound } = calling
    switch (calling.functionName) {
      case 'commit': {
        const [, peerKey, root, leafCount, policyHash, contentId, nextPolicy] = args as [
          bigint,
          Hex,
          Hex,
          number,
          Hex,
          Hex,
          Hex,
        ]
        requireOwner(peerKey)
        requireRound(0)
        return () => {
          const works = this.works.get(round) ?? new Map<Hex, Work>()
          this.works.set(round, works)
          const ordinal = works.get(peerKey)?.ordinal ?? works.size
          works.set(peerKey, { peerKey, ordinal, root, leafCount, policyHash })
          emit('RolloutsCommitted', { round: BigInt(round), peerKey, ordinal, root, leafCount, policyHash, contentId })
          if (nextPolicy !== ZERO_HASH)
            emit('PolicyCommitted', { round: BigInt(round + 1), peerKey, policyHash: nextPolicy })
        }
      }
      case 'commitPolicy': {
        const [, peerKey, policyHash] = args as [bigint, Hex, Hex]
        requireOwner(peerKey)
        requireRound(-1)
        return () => emit('PolicyCommitted', { round: BigInt(round), peerKey, policyHash })
      }
      default:
        throw new Reverted('Rounds_BeaconMissed', [round, 0])
    }
  }

  /** Ballots: sealed, opened and counted. */
  private prepareVotes(calling: Calling): () => void {
    const { args, block, hashOf, now, round, emit, requireOwner, requireRound } = calling
    switch (calling.functionName) {
      case 'commitVotes': {
        const [, shard, position, key, commitment] = args as [bigint, number, number, Hex, Hex]
        requireOwner(key)
        requireRound(1)
        const drawn = this.beacons.has(round) ? () => {} : this.draw(calling)
        const beacon = this.beacons.get(round) ?? (hashOf(this.fixed.get(round) ?? -1) as Hex)
        const isOn = this.committee(round, beacon, shard)[position] === key
        require(isOn, 'RewardVotes_NotOnCommittee', [round, shard, position, key])
        require(!this.ballots.has(`${round}/${shard}/${position}`), 'RewardVotes_AlreadyCommitted', [
          round,
          shard,
          position,
        ])
        return () => {
          drawn()
          this.ballots.set(`${round}/${shard}/${position}`, { commitment, scoresMilli: null })
        }
      }
      case 'revealVotes': {
        const [ballot, salt] = args as [Ballot, Hex]
        const of = Number(ballot.round)
        requireRound(2, of)
        const cast = this.ballots.get(`${of}/${ballot.shard}/${ballot.position}`)
        const commitment = voteCommitment(this.terms.place, ballot, salt)
        require(cast?.commitment === commitment, 'RewardVotes_NotCommitment', [of, ballot.evaluatorKey, commitment])
        return () => {
          if (cast !== undefined) cast.scoresMilli = ballot.scoresMilli
          emit('VotesRevealed', { ...ballot })
        }
      }
      case 'settle': {
        const [, shard, peerKeys] = args as [bigint, number, readonly Hex[]]
        requireRound(3)
        const closedFromSec = this.terms.startsAtSec + (now + 3 / 4) * this.terms.roundSec
        require(block.timeSec < closedFromSec, 'RewardVotes_SettlementClosed', [round, closedFromSec])
        for (const peerKey of peerKeys) {
          const { ordinal = 0 } = this.works.get(round)?.get(peerKey) ?? {}
          const isIn = Math.floor(ordinal / SHARD_PEERS) === shard
          require(isIn, 'RewardVotes_NotInShard', [round, peerKey, shard])
        }
        return () => {
          for (const peerKey of peerKeys) this.settle(round, shard, peerKey, emit)
        }
      }
      default:
        throw new Reverted('Rounds_BeaconMissed', [round, 0])
    }
  }

  private draw({ round, block, hashOf, emit }: Calling): () => void {
    const at = this.fixed.get(round)
    if (at === undefined) throw new Reverted('Rounds_BeaconNotFixed', [round])
    const hash = hashOf(at)
    if (block.number <= at || hash === undefined) throw new Reverted('Rounds_BeaconNotReady', [round, at, block.number])
    return () => {
      this.beacons.set(round, hash)
      emit('BeaconDrawn', { round: BigInt(round), beacon: hash })
    }
  }

  private committee(round: number, beacon: Hex, shard: number): Hex[] {
    return drawCommittee(this.terms.place.chainId, round, beacon, shard, this.terms.seats)
  }

  private settle(round: number, shard: number, peerKey: Hex, emit: Emit): void {
    const work = this.works.get(round)?.get(peerKey)
    const beacon = this.beacons.get(round)
    if (work === undefined || this.settled.has(`${round}/${peerKey}`)) return
    const seats = (beacon === undefined ? [] : this.committee(round, beacon, shard)).map((key, position) => {
      const cast = this.ballots.get(`${round}/${shard}/${position}`)
      const account = this.terms.members.get(key) ?? key
      return { account, sealed: cast !== undefined && cast.scoresMilli === null, opened: cast?.scoresMilli ?? null }
    })
    const account = this.terms.members.get(peerKey) ?? peerKey
    const verdict = verdictOn({ key: peerKey, account }, work.ordinal % SHARD_PEERS, seats)
    this.settled.set(`${round}/${peerKey}`, { round, peerKey, ...verdict })
    emit('Settled', { round: BigInt(round), peerKey, ...verdict, outcome: outcomes.indexOf(verdict.outcome) })
  }

  /** Answers a view. @throws {Reverted} */
  read(functionName: string, args: readonly unknown[], head: Block): unknown {
    const { members, peerIds, seats, startsAtSec, roundSec, environmentOf } = this.terms
    const [first, second] = args
    const round = Number(first)
    const views: Record<string, () => unknown> = {
      roundAt: () => (round < startsAtSec ? notStarted() : BigInt(this.roundAt(round))),
      startOf: () => startsAtSec + round * roundSec,
      endOf: () => startsAtSec + (round + 1) * roundSec,
      environmentOf: () => environmentOf(round),
      beaconStateOf: () => this.beaconState(round, head),
      beaconOf: () => this.beacons.get(round) ?? ZERO_HASH,
      accountOf: () => members.get(first as Hex) ?? zeroAddress,
      peerIdOf: () => peerIds.get(first as Hex) ?? unknownPeer(first as Hex),
      membershipOf: () => [members.get(first as Hex) ?? zeroAddress, 0n],
      seatsAt: () => seats,
      outcomeOf: () => [outcomes.indexOf(this.settled.get(`${round}/${second}`)?.outcome ?? 'none')],
      bootstrapRounds: () => 1_000_000,
      stateOf: () => [0, true],
      stakeOf: () => ({ amountWei: 0n, freeFromRound: 0 }),
    }
    return views[functionName]?.() ?? 0n
  }

  private beaconState(round: number, head: Block): [number, bigint] {
    const block = this.fixed.get(round)
    if (this.beacons.has(round)) return [2, BigInt(block ?? 0)]
    if (this.roundAt(head.timeSec) > round + 1) return [3, BigInt(block ?? 0)]
    return block === undefined ? [0, 0n] : [1, BigInt(block)]
  }
}
