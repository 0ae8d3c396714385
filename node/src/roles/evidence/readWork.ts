import { phase, SHARD_PEERS } from '@waggle/deployments/protocol'
import type { Deployment } from '@waggle/deployments/record'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readAccountsBefore } from '#chain/peers/readAccountsBefore.ts'
import { readPeers } from '#chain/peers/readPeers.ts'
import { type ChainReads, createChainReads } from '#chain/reads.ts'
import { readPeerRound } from '#chain/rounds/readPeerRound.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { createEventReader } from '#chain/rounds/roundEvents.ts'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import type { PeerScore } from '#core/payloads/payloads.ts'
import { peerName } from '#core/peers/peerName.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'
import { drawCommittee } from '../draws/drawCommittee.ts'
import { readPeerScore } from '../fetch/openScoreSheet.ts'
import { findPeer } from '../findPeer.ts'
import { explainSeat } from './explainSeat.ts'
import { explainAnswers, explainIdle, explainTasks, explainVotesOf } from './explainWork.ts'
import { readRefuted } from './refutations.ts'
import type { Duty, Seat, Work } from './work.ts'

type WhyQuestion = {
  deployment: Deployment
  rpcUrl: string
  patience?: Patience
  /** A peer's folder, for the score sheets that it keeps. */
  data: string
  /** Three words, a peer id or a key. */
  peer: string
  /** By default the newest final round that the peer worked in, of the last {@link LOOK_BACK}. */
  round?: number | undefined
}

/** A slow peer skips some rounds; one that has done nothing for so long is told so. */
const LOOK_BACK = 8

/**
 * The outcome of a peer's work in a round, from the chain and a data folder.
 *
 * @throws {UnknownPeerError}
 */
export async function explainWork({ deployment, rpcUrl, patience, data, peer: asked, round: given }: WhyQuestion) {
  const chain = await connectChain({ rpcUrl, deployment, patience })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(chain, contracts)
  const peers = await readPeers(chain, contracts)
  const { peerKey, peerId, countsFrom } = findPeer(peers, asked)
  const names = new Map(peers.map(one => [one.peerKey, peerName(one.peerId)]))
  const currentRound = (await createRoundClock(chain, contracts).read()).round
  const events = createEventReader(chain, contracts)
  const nameOf = (key: PeerKey) => names.get(key) ?? key
  const workOf = async (round: number) => {
    const told = await readPeerRound(chain, contracts, events, round, peerKey)
    const readBefore = (keys: readonly PeerKey[], block: number) =>
      readAccountsBefore(chain, contracts, events, keys, {
        block,
        rounds: { first: round + phase.settling, last: currentRound },
      })
    const of = { reads, readBefore, chainId: deployment.chainId, data, round, currentRound, peerKey, told }
    const rest = await readCommittees(of)
    return { round, currentRound, countsFrom, told, refuted: readRefuted(data, round, peerKey), ...rest }
  }
  const explain = (work: Work) => {
    const votes = [...explainVotesOf(work), ...explainSeat(work, nameOf)]
    const tasks = explainTasks(work)
    const isOnlyOther = work.commitment === null && votes.length + tasks.length > 0
    return { work, answers: isOnlyOther ? [] : explainAnswers(work, nameOf), votes, tasks }
  }
  const newest = given ?? Math.max(0, currentRound - phase.opening)
  const oldest = given ?? Math.max(0, newest - LOOK_BACK)
  let found = explain(await workOf(newest))
  for (let round = newest - 1; !hasWorked(found) && round >= oldest; round--) {
    const before = explain(await workOf(round))
    if (hasWorked(before)) found = before
  }
  const idle = given === undefined && !hasWorked(found) ? explainIdle(found.work, oldest) : null
  return { name: peerName(peerId), peerId, peerKey, idle, ...found }
}

const hasWorked = ({ work, votes, tasks }: { work: Work; votes: readonly string[]; tasks: readonly string[] }) =>
  work.commitment !== null || votes.length + tasks.length > 0

type RoundOf = Pick<Work, 'round' | 'currentRound' | 'told'> & {
  reads: ChainReads
  /** Accounts as of a block, of peers that have moved since. */
  readBefore: (peerKeys: readonly PeerKey[], block: number) => Promise<Map<PeerKey, AccountAddress>>
  chainId: number
  data: string
  peerKey: PeerKey
}

async function readCommittees(
  of: RoundOf,
): Promise<Omit<Work, 'round' | 'currentRound' | 'countsFrom' | 'refuted' | 'told'>> {
  const { reads, chainId, round, currentRound, peerKey, told } = of
  const isOver = round < currentRound
  const commitments = round > currentRound ? [] : await reads.readRolloutCommitments(round)
  const commitment = commitments.find(one => one.peerKey === peerKey) ?? null
  const before = round === 0 ? ({ state: 'drawn', hash: null } as const) : await reads.readBeacon(round - 1)
  const own = isOver ? await reads.readBeacon(round) : ({ state: 'none', hash: null } as const)
  const beacons = { own: own.state, before: before.state }
  const namedPolicy = (await reads.readPolicies(round, [peerKey])).get(peerKey) ?? null
  const { hash } = own
  const sitting = hash === null || commitments.length === 0 ? [] : await reads.readPastSeats(round)
  const committeeOf = (shard: number) => (hash === null ? [] : drawCommittee(chainId, round, hash, shard, sitting))
  const votes = isOver ? await reads.readRevealedVotes(round) : []
  const settlement = (isOver ? await reads.readSettlements(round) : []).find(one => one.peerKey === peerKey) ?? null
  const isSealed = (evaluatorKey: PeerKey, shard: number) =>
    told.sealed.some(one => one.evaluatorKey === evaluatorKey && one.shard === shard)
  const committee = commitment === null ? [] : committeeOf(Math.floor(commitment.ordinal / SHARD_PEERS))
  // The settlement left out votes of the account that the peer had then.
  const movedSince = settlement && (await of.readBefore([peerKey, ...committee], settlement.block))
  const accountOf = async (key: PeerKey) => movedSince?.get(key) ?? (await reads.readAccountOf(key))
  const account = commitment && (await accountOf(peerKey))
  const seatOf = async (evaluatorKey: PeerKey, { ordinal }: { ordinal: number }): Promise<Seat> => {
    const shard = Math.floor(ordinal / SHARD_PEERS)
    const vote = votes.find(one => one.evaluatorKey === evaluatorKey && one.shard === shard)
    return {
      evaluatorKey,
      voteMilli: vote?.scoresMilli[ordinal % SHARD_PEERS] ?? null,
      isSealed: isSealed(evaluatorKey, shard),
      isOwn: (await accountOf(evaluatorKey)) === account,
      scored: vote === undefined ? null : await scoreOf(of, vote),
    }
  }
  const seats = commitment === null ? [] : await Promise.all(committee.map(key => seatOf(key, commitment)))
  const shards = Array.from({ length: Math.ceil(commitments.length / SHARD_PEERS) }, (_, shard) => shard)
  const duties: Duty[] = shards
    .filter(shard => committeeOf(shard).includes(peerKey))
    .map(shard => ({
      shard,
      isSealed: isSealed(peerKey, shard),
      isRevealed: votes.some(one => one.evaluatorKey === peerKey && one.shard === shard),
    }))
  return { beacons, commitment, namedPolicy, seats, settlement, duties }
}

/** The peer's entry in a kept score sheet. The evaluator committed to it: its id is on the chain. */
async function scoreOf(
  { chainId, data, round, peerKey }: RoundOf,
  { evaluatorKey, contentId }: RevealedVotes,
): Promise<PeerScore | null> {
  const bytes = await readKeptBundle(data, round, contentId)
  return bytes && readPeerScore(bytes, { chainId, round, evaluatorKey }, peerKey)
}
