import { MAX_SCORE_MILLI } from '@waggle/deployments/protocol'
import type { RolesAnswer } from '#sources/getRoles.ts'

interface RoleRow {
  peerKey: string
  peerId: string
  name: string
  earnedWei: bigint
  stakeWei: bigint
  slashedWei: bigint
  freeFromRound: number | null
}

export interface EvaluatorRow extends RoleRow {
  fromRound: number
  untilRound: number | null
  votesCommitted: number
  votesRevealed: number
  /** After `missedRound`; a later reveal clears them. */
  misses: number
  missedRound: number | null
}

export interface ProposerRow extends RoleRow {
  roundsProposed: number
  tasksPaid: number
  /** Mean learnability of its paid tasks, 0 to 1; null if none was paid. */
  learnability: number | null
}

/** Stakes for a duty, by key. */
function stakesFor({ stakes }: RolesAnswer, wanted: 'evaluator' | 'proposer') {
  const held = new Map(stakes.items.flatMap(stake => (stake.duty === wanted ? [[stake.peerKey, stake]] : [])))
  return (peerKey: string) => shown(held.get(peerKey))
}

function shown(held: RolesAnswer['stakes']['items'][number] | undefined) {
  return {
    stakeWei: held?.amountWei ?? 0n,
    slashedWei: held?.slashedWei ?? 0n,
    freeFromRound: held?.freeFromRound ?? null,
  }
}

/** Evaluators by what their openings earned, most first. */
export function evaluatorRows(answer: RolesAnswer): EvaluatorRow[] {
  const { evaluators, purses } = answer
  const stakeOf = stakesFor(answer, 'evaluator')
  const earned = new Map(purses.items.map(({ peerKey, openingWei }) => [peerKey, openingWei]))
  return evaluators.items
    .map(({ peer, ...seat }) => ({
      ...seat,
      peerId: peer?.peerId ?? '',
      name: peer?.name ?? '',
      earnedWei: earned.get(seat.peerKey) ?? 0n,
      ...stakeOf(seat.peerKey),
    }))
    .sort((a, b) => descending(a.earnedWei, b.earnedWei))
}

/** Proposers by how much could be learnt from their tasks, most first; those of whom none was paid come last. */
export function proposerRows(answer: RolesAnswer): ProposerRow[] {
  const { peers, purses } = answer
  const stakeOf = stakesFor(answer, 'proposer')
  const earned = new Map(purses.items.map(({ peerKey, taskWei }) => [peerKey, taskWei]))
  const paid = learnabilities(answer)
  return peers.items
    .map(peer => {
      const own = paid.get(peer.peerKey) ?? []
      return {
        ...peer,
        earnedWei: earned.get(peer.peerKey) ?? 0n,
        tasksPaid: own.length,
        learnability: own.length === 0 ? null : own.reduce((sum, one) => sum + one, 0) / own.length,
        ...stakeOf(peer.peerKey),
      }
    })
    .sort((a, b) => (b.learnability ?? -1) - (a.learnability ?? -1) || descending(a.earnedWei, b.earnedWei))
}

/**
 * Learnability of paid tasks by proposer, of those whose opened leaf is in the answer: 4m(1 - m), where m is the leaf's score. Their pay does
 * not tell it: that is a part of the round's, by the shard's peers.
 */
function learnabilities({ taskPays, agreedLeafs }: RolesAnswer): Map<string, number[]> {
  const medians = new Map(agreedLeafs.items.map(({ round, shard, medianMilli }) => [`${round} ${shard}`, medianMilli]))
  const found = new Map<string, number[]>()
  for (const { round, shard, proposerKey } of taskPays.items) {
    const medianMilli = medians.get(`${round} ${shard}`) ?? null
    if (medianMilli === null) continue
    const score = medianMilli / MAX_SCORE_MILLI
    found.set(proposerKey, [...(found.get(proposerKey) ?? []), 4 * score * (1 - score)])
  }
  return found
}

const descending = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)
