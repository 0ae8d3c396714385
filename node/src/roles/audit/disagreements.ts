import { SHARD_PEERS, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { Ruling } from '#chain/challenges/rulings.ts'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { PeerScore } from '#core/payloads/payloads.ts'
import { readPeerScore } from '../fetch/openScoreSheet.ts'
import type { PeerPayloads } from './peerPayloads.ts'
import { type AuditedSampling, compareScores, type LeafDifference } from './peerVerdict.ts'

/** An evaluator whose vote or verdict is further from the score than agreement allows. */
export type Disagreement = {
  evaluatorKey: PeerKey
  name: string
  peerKey: PeerKey
  peerName: string
  /** 0 for a vote of the committee; 1 and 2 for a verdict on a first and a second appeal. */
  level: number
  voteMilli: number
  derivedMilli: number
  /** The leaf at which its score sheet differs most; null if it does not differ, or is unavailable. Juries publish none. */
  difference: LeafDifference | null
}

/** A peer's work as it was scored here. */
type ScoredPeer = {
  peerKey: PeerKey
  name: string
  ordinal: number
  derivedMilli: number
  sampling: Pick<AuditedSampling, 'result'> | null
  leaves: PeerScore['leaves']
}

type Modules = {
  chainId: number
  round: number
  payloads: Pick<PeerPayloads, 'fetch'>
  nameOf: (peerKey: PeerKey) => Promise<string>
  signal: AbortSignal
}

/**
 * The seats that scored a peer too far from what it came to here: of its committee, and of juries on its appeals.
 *
 * @param votes - all of the round.
 * @param rulings - those on the peer's round.
 */
export async function findDisagreements(
  { chainId, round, payloads, nameOf, signal }: Modules,
  { peerKey, name: peerName, ordinal, derivedMilli, sampling, leaves }: ScoredPeer,
  { votes, rulings }: { votes: readonly RevealedVotes[]; rulings: readonly Ruling[] },
): Promise<Disagreement[]> {
  const isOff = (milli: number) => {
    if (milli === UNAVAILABLE || Math.abs(milli - derivedMilli) <= TOLERANCE_MILLI) return false
    // Its evaluator may have had data that is not available here.
    return sampling?.result !== 'unchecked' || milli !== 0
  }
  const about = { peerKey, peerName, derivedMilli }
  const found: Disagreement[] = []
  for (const { evaluatorKey, shard, scoresMilli, contentId } of votes) {
    const voteMilli = scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE
    if (shard !== Math.floor(ordinal / SHARD_PEERS) || !isOff(voteMilli)) continue
    const bytes = await payloads.fetch({ kind: 'scores', round, contentId, peerKey: evaluatorKey }, signal)
    const seat = { chainId, round, evaluatorKey }
    const published = bytes.ok ? await readPeerScore(bytes.value, seat, peerKey) : null
    const difference = published && compareScores(published.leaves, leaves)
    found.push({ ...about, evaluatorKey, name: await nameOf(evaluatorKey), level: 0, voteMilli, difference })
  }
  for (const ruling of rulings) {
    if (ruling.kind !== 'verdict' || !isOff(ruling.scoreMilli)) continue
    const { seatKey: evaluatorKey, level, scoreMilli: voteMilli } = ruling
    found.push({ ...about, evaluatorKey, name: await nameOf(evaluatorKey), level, voteMilli, difference: null })
  }
  return found
}
