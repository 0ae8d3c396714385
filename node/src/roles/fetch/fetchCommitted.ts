import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { ContentId, PeerKey, Root } from '#core/hashes.ts'
import type { OpenedPayload, PayloadOperations, RolloutBundle } from '#core/payloads/payloads.ts'
import type { PeerNode } from '../peerNode.ts'
import type { Visited } from './fetchPlan.ts'
import { type PeerFault, type PeerResult, peerFault } from './peerResult.ts'

/** A peer's commitment for a round; `count` is the number of leaves. */
export type Commitment = { peerKey: PeerKey; root: Root; count: number; contentId: ContentId }

/** The rollouts in a payload, if they match its peer's commitment. */
export async function openCommitted(
  payloads: PayloadOperations,
  bytes: Uint8Array,
  { chainId, round }: { chainId: number; round: number },
  { peerKey, root, count }: Commitment,
): Promise<OpenedPayload<RolloutBundle> | 'malformed' | 'another'> {
  const opened = await payloads.open('rollouts', bytes)
  if (opened === null) return 'malformed'
  const { payload, tree } = opened
  const isBound = payload.chainId === chainId && payload.round === round && payload.peerKey === peerKey
  return isBound && tree.length === 2 * count - 1 && tree[0] === root ? opened : 'another'
}

/** A proven fault of rollouts. */
export const asFault = (fault: 'malformed' | 'another'): PeerFault =>
  peerFault(fault, fault === 'malformed' ? 'no payload of rollouts' : 'not what its peer committed')

/** Runs `work`, a pure computation, on rollouts that match their commitment; one result per commitment, in order. */
function fetchRollouts<T>(
  node: PeerNode,
  round: number,
  commitments: readonly RolloutCommitment[],
  signal: AbortSignal,
  work: (opened: OpenedPayload<RolloutBundle>, commitment: RolloutCommitment) => Promise<T> | T,
): Promise<Visited<RolloutCommitment, T>[]> {
  return Promise.all(fetchEachRollouts(node, round, commitments, signal, work))
}

/** As {@link fetchRollouts}, each as soon as it arrives. @param mayReturn - whether to wait for absent peers. */
export function fetchEachRollouts<T>(
  node: PeerNode,
  round: number,
  commitments: readonly RolloutCommitment[],
  signal: AbortSignal,
  work: (opened: OpenedPayload<RolloutBundle>, commitment: RolloutCommitment) => Promise<T> | T,
  mayReturn = false,
): Promise<Visited<RolloutCommitment, T>>[] {
  const { payloads, chainId, fetchPlan } = node
  const wanted = commitments.map(commitment => ({ ...commitment, kind: 'rollouts' as const, round, mayReturn }))
  return fetchPlan.visitEach(wanted, signal, async (bytes, commitment) => {
    const opened = await openCommitted(payloads, bytes, { chainId, round }, commitment)
    if (typeof opened === 'string') return asFault(opened)
    return { ok: true, value: await work(opened, commitment) }
  })
}

/** As {@link fetchRollouts}, of one peer. */
export async function fetchRolloutsOf<T>(
  node: PeerNode,
  round: number,
  commitment: RolloutCommitment,
  signal: AbortSignal,
  work: (opened: OpenedPayload<RolloutBundle>) => Promise<T> | T,
): Promise<PeerResult<T>> {
  const [visited] = await fetchRollouts(node, round, [commitment], signal, work)
  return visited?.result ?? peerFault('unavailable', 'it was not asked for')
}
