import { SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { payloadsHere } from '#core/payloads/payloads.ts'
import { openScoreSheet } from '../fetch/openScoreSheet.ts'
import type { PeerPayloads } from './peerPayloads.ts'

/** Seats that could not check a peer's work, by their own word: they do not hold the base of its policy. */
export type LackingSeats = { base: Hex; seats: number; of: number }

type Modules = { chainId: number; round: number; payloads: Pick<PeerPayloads, 'fetch'>; signal: AbortSignal }

/**
 * Reads the score sheets of unavailable votes, each once: with many unavailable peers, fetching them for each peer would take hours.
 *
 * @returns a function: seats of a peer's committee that lack the base of its policy, as most of those name it; null if none does.
 */
export function createLackingSeats({ chainId, round, payloads, signal }: Modules, votes: readonly RevealedVotes[]) {
  const read = new Map<RevealedVotes, Promise<ReadonlyMap<PeerKey, Hex>>>()

  async function readBases({ evaluatorKey, contentId }: RevealedVotes): Promise<ReadonlyMap<PeerKey, Hex>> {
    const bytes = await payloads.fetch({ kind: 'scores', round, contentId, peerKey: evaluatorKey }, signal)
    const scoreSheet = bytes.ok
      ? await openScoreSheet(payloadsHere, bytes.value, { chainId, round, evaluatorKey })
      : null
    return new Map(scoreSheet?.peers.flatMap(({ peerKey, lacksBase }) => (lacksBase ? [[peerKey, lacksBase]] : [])))
  }

  return async ({ peerKey, ordinal }: Pick<RolloutCommitment, 'peerKey' | 'ordinal'>): Promise<LackingSeats | null> => {
    const revealed = votes.filter(({ shard }) => shard === Math.floor(ordinal / SHARD_PEERS))
    const bases: Hex[] = []
    for (const vote of revealed) {
      if ((vote.scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE) !== UNAVAILABLE) continue
      const reading = read.get(vote) ?? readBases(vote)
      read.set(vote, reading)
      const base = (await reading).get(peerKey)
      if (base !== undefined) bases.push(base)
    }
    return countLacking(bases, revealed.length)
  }
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
