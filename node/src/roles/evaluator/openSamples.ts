import { phase, TOLERANCE_MILLI } from '@waggle/deployments/protocol'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import type { ComponentOpening } from '#chain/votes/openComponent.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { Sample } from '#chain/votes/samples.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { proofIn } from '#core/merkle.ts'
import { componentsHash, type PeerScore, rolloutLeaf, type ScoreSheet, scoreTree } from '#core/payloads/payloads.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'
import { sampledLeaves, shardsOf } from '../draws/drawCommittee.ts'
import { drawnLeaf, drawOpening } from '../draws/drawOpening.ts'
import { ownShards } from '../draws/ownShards.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { ballotsOf, keptScores } from './scoreSheets.ts'

/** Seats are staggered over this share of a round: one call per shard is enough. */
const STAGGER_SHARE = 1 / 5

/** Opens the score of the drawn leaf for each shard that this evaluator voted on; it is paid for that. */
export async function openSamples(node: PeerNode, round: number, signal: AbortSignal): Promise<void> {
  const { chain, chainId, logger } = node
  const kept = round < 0 ? null : await keptScores(node, round)
  if (kept === null) return
  const { scoreSheet } = kept
  const [beacon, drawing] = [await beaconOf(node, round), await beaconOf(node, round + phase.revealing)]
  if (beacon === null || drawing === null) return
  const settlements = await chain.readSettlements(round)
  const sample = await sampleIn(node, round)
  if (sample === null) return
  const shards = await ownShards(node, round, beacon)
  const opened: Promise<unknown>[] = []
  for (const [at, ballot] of (await ballotsOf(kept, shards)).entries()) {
    const { shard, peers } = shards[at] as (typeof shards)[number]
    const drawn = drawOpening(chainId, round, drawing, shard, peers, settlements)
    if (drawn === null) continue
    const { commitment, place } = drawn
    const scored = scoreSheet.peers.find(({ peerKey }) => peerKey === commitment.peerKey)
    if (scored === undefined || !earns(scored, settlements)) continue
    const sampled = sampledLeaves(chainId, round, beacon, commitment.peerKey, sample)
    const index = drawnLeaf(sampled, place, commitment.count)
    if (index === null) continue
    const proof = await proveScore(node, scoreSheet, scored, commitment, index, signal)
    if (proof === null) continue
    const about = { round, shard, index }
    const sent = chain.openComponent({ ballot, commitment, ...proof })
    opened.push(sent.then(outcome => reportOutcome(logger, 'score opened', outcome, about)))
  }
  await Promise.all(opened)
}

/**
 * Which leaves a round samples, as the chain has it: it refuses openings until somebody has described the round's environment.
 *
 * @returns null if that fails, or if the environment is not this node's.
 */
async function sampleIn(node: PeerNode, round: number): Promise<Sample | null> {
  const { chain, environment, logger } = node
  const described = await chain.readSample(round)
  if (described !== null) return described
  if (!(await node.playsIn(round))) {
    logger.info('no scores opened: nobody has described the environment', { round })
    return null
  }
  const outcome = await chain.describeEnvironment(environmentBytes(environment.spec))
  return reportOutcome(logger, 'environment described', outcome, { round }) ? environment.spec : null
}

/** Closes the openings of the shards that this evaluator voted on, which pays those that agree. Anyone may. */
export async function closeOpenings(node: PeerNode, round: number, time: RoundTime): Promise<void> {
  const { chain, clock, identity, logger, signal } = node
  const kept = round < 0 ? null : await keptScores(node, round)
  if (kept === null) return
  const voted = new Set(kept.scoreSheet.peers.map(({ peerKey }) => peerKey))
  const staggerShare = Number.parseInt(identity.peerKey.slice(2, 4), 16) / 256
  await clock.sleep(staggerShare * STAGGER_SHARE * roundLengthSec(time) * 1000, signal)
  const sent: Promise<unknown>[] = []
  for (const [shard, peers] of shardsOf(await chain.readRolloutCommitments(round)).entries()) {
    if (!peers.some(({ peerKey }) => voted.has(peerKey))) continue
    const { opened, closed } = await chain.readOpenings(round, shard)
    if (opened === 0 || closed) continue
    const closing = chain.closeOpenings(round, shard)
    sent.push(closing.then(outcome => reportOutcome(logger, 'openings closed', outcome, { round, shard })))
  }
  await Promise.all(sent)
}

/** Whether the peer was scored, and this evaluator's vote on it lies within the tolerance. */
function earns({ peerKey, scoreMilli, leaves }: PeerScore, settlements: readonly Settlement[]): boolean {
  const settled = settlements.find(one => one.peerKey === peerKey)
  const agrees = settled?.outcome === 'scored' && Math.abs(settled.scoreMilli - scoreMilli) <= TOLERANCE_MILLI
  return agrees && leaves.length > 0
}

/**
 * Proofs that the peer committed to the drawn leaf, and this evaluator to its score. Null if the bundle is gone, or if this evaluator has no score
 * for the leaf: others may open theirs.
 */
async function proveScore(
  node: PeerNode,
  scoreSheet: ScoreSheet,
  scored: PeerScore,
  commitment: RolloutCommitment,
  index: number,
  signal: AbortSignal,
): Promise<Omit<ComponentOpening, 'ballot' | 'commitment'> | null> {
  const leaf = scored.leaves.find(one => one.index === index)
  if (leaf === undefined) return null
  const proven = await fetchRolloutsOf(node, scoreSheet.round, commitment, signal, ({ payload, tree }) => {
    const shown = rolloutLeaf(payload, index)
    if (shown === undefined) return null
    return {
      header: shown.header,
      leafProof: proofIn(tree, index),
      scoreMilli: leaf.scoreMilli,
      componentsHash: componentsHash(leaf.components),
      componentProof: scoreTree(scoreSheet, scored, commitment.count).proofOf(index),
    }
  })
  return proven.ok ? proven.value : null
}
