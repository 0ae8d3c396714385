import { SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { readPeerScore } from '../fetch/openScoreSheet.ts'
import type { PeerPayloads } from './peerPayloads.ts'

/** Seats that could not check a peer's work, by their own word: they do not hold the base of its policy. */
export type LackingSeats = { base: Hex; seats: number; of: number }

type Modules = { chainId: number; round: number; payloads: Pick<PeerPayloads, 'fetch'>; signal: AbortSignal }

/** Seats of a peer's committee that lack the base of its policy, as most of those name it; null if none does. Reads the score sheets of unavailable votes. */
export async function lackingSeats(
  { chainId, round, payloads, signal }: Modules,
  votes: readonly RevealedVotes[],
  { peerKey, ordinal }: Pick<RolloutCommitment, 'peerKey' | 'ordinal'>,
): Promise<LackingSeats | null> {
  const revealed = votes.filter(({ shard }) => shard === Math.floor(ordinal / SHARD_PEERS))
  const bases: Hex[] = []
  for (const { evaluatorKey, contentId, scoresMilli } of revealed) {
    if ((scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE) !== UNAVAILABLE) continue
    const bytes = await payloads.fetch({ kind: 'scores', round, contentId, peerKey: evaluatorKey }, signal)
    const seat = { chainId, round, evaluatorKey }
    const base = bytes.ok ? (await readPeerScore(bytes.value, seat, peerKey))?.lacksBase : undefined
    if (base !== undefined) bases.push(base)
  }
  return countLacking(bases, revealed.length)
}

/** @param bases - that seats name, one a seat that lacks it. */
export function countLacking(bases: readonly Hex[], of: number): LackingSeats | null {
  const [most] = [...Map.groupBy(bases, base => base)].sort(([, a], [, b]) => b.length - a.length)
  return most === undefined ? null : { base: most[0], seats: most[1].length, of }
}

/** In words, such as `3 of 9 seats cannot check base 0x…`. */
export const lackingWords = ({ base, seats, of }: LackingSeats) =>
  `${seats} of ${of} seats cannot check base ${base}: they do not hold it`

/** Bases that a machine lacks, each with the peers that it therefore cannot check. */
export function lackedBases(
  peers: readonly { name: string; peerKey: PeerKey; sampling: { lacksBase: Hex | null } | null }[],
): { base: Hex; peers: string[] }[] {
  const lacking = Map.groupBy(peers, ({ sampling }) => sampling?.lacksBase ?? null)
  return [...lacking].flatMap(([base, of]) => (base === null ? [] : { base, peers: of.map(({ name }) => name) }))
}
