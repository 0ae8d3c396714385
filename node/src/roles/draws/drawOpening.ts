import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { concatHex, keccak256, numberToHex } from 'viem'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon, Seed } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { roundSeed } from './roundSeed.ts'

/**
 * The peer of a shard, and the place among its scored leaves, that seats open, as `Openings.drawnOf` has them.
 *
 * @param beacon - of the round in which votes were revealed: nobody knew it while they could still be made.
 * @param peers - of the shard, in order.
 * @param settlements - of the round. Only peers that were settled with points are drawn.
 * @returns null if no peer of the shard has points.
 */
export function drawOpening(
  chainId: number,
  round: number,
  beacon: Beacon,
  shard: number,
  peers: readonly RolloutCommitment[],
  settlements: readonly Settlement[],
): { commitment: RolloutCommitment; place: bigint } | null {
  const scored = new Set(settlements.filter(({ scoreMilli }) => scoreMilli > 0).map(({ peerKey }) => peerKey))
  const places = new Set(peers.flatMap(({ peerKey }, place) => (scored.has(peerKey) ? [place] : [])))
  if (places.size === 0) return null
  const seed = openingSeed(chainId, round, beacon, shard)
  return { commitment: peers[drawAmong(places, seed)] as RolloutCommitment, place: placeOf(seed) }
}

export function openingSeed(chainId: number, round: number, beacon: Beacon, shard: number): Seed {
  const subject: Hex = `0x${shard.toString(16).padStart(64, '0')}`
  return roundSeed('opening', chainId, round, beacon, subject)
}

/** From which place on a leaf is opened: see {@link drawnLeaf}. */
export const placeOf = (seed: Seed): bigint => BigInt(seed) & ((1n << 128n) - 1n)

/** One of some places of a shard: numbers are drawn in counter mode until one of them comes. @param places - at least one. */
export function drawAmong(places: ReadonlySet<number>, seed: Seed): number {
  for (let step = 0; ; step++) {
    const drawn = Number(BigInt(keccak256(concatHex([seed, numberToHex(step, { size: 4 })]))) % BigInt(SHARD_PEERS))
    if (places.has(drawn)) return drawn
  }
}

/**
 * The index of the leaf that is opened, as `Openings.open` requires it: the first that the peer committed of its sample, from the place drawn on,
 * starting over after the last.
 *
 * @param sampled - the leaves on which the peer is scored, in the order drawn.
 * @param leafCount - leaves that the peer committed.
 * @returns null if it committed none of them.
 */
export function drawnLeaf(sampled: readonly number[], place: bigint, leafCount: number): number | null {
  const from = sampled.length === 0 ? 0 : Number(place % BigInt(sampled.length))
  const inOrder = [...sampled.slice(from), ...sampled.slice(0, from)]
  return inOrder.find(index => index < leafCount) ?? null
}
