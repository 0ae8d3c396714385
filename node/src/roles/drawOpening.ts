import type { Hex } from '#core/hex.ts'
import { SHARD_PEERS } from './drawCommittee.ts'
import { roundSeed } from './roundSeed.ts'

/**
 * The peer of a shard, and the place among its leaves, that seats open, as `Openings.drawnOf` has them.
 *
 * @param beacon - of the round in which votes were revealed: nobody knew it while they could still be made.
 * @param peers - of the shard, at least 1.
 */
export function drawOpening(chainId: number, round: number, beacon: Hex, shard: number, peers: number) {
  const subject: Hex = `0x${shard.toString(16).padStart(64, '0')}`
  const seed = BigInt(roundSeed('opening', chainId, round, beacon, subject))
  return {
    ordinal: shard * SHARD_PEERS + Number((seed >> 128n) % BigInt(peers)),
    place: seed & ((1n << 128n) - 1n),
  }
}

/**
 * The leaf that is opened: the first scored one at or after the place drawn, beginning anew after the last.
 *
 * @param scored - in order of index, at least one.
 * @param leafCount - leaves that the peer committed.
 */
export function drawnLeaf<T extends { index: number }>(scored: readonly T[], place: bigint, leafCount: number): T {
  const from = Number(place % BigInt(leafCount))
  return (scored.find(({ index }) => index >= from) ?? scored[0]) as T
}
