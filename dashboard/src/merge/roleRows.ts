import { PROPOSER_EMISSION_WEI } from '@waggle/deployments/protocol'
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
  /** Mean learnability of its paid tasks, as a share of the highest possible one, 0 to 1; null if none was paid. */
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
  const { peers, purses, taskPays } = answer
  const stakeOf = stakesFor(answer, 'proposer')
  const earned = new Map(purses.items.map(({ peerKey, taskWei }) => [peerKey, taskWei]))
  const paid = Map.groupBy(taskPays.items, ({ proposerKey }) => proposerKey)
  return peers.items
    .map(peer => {
      const amounts = (paid.get(peer.peerKey) ?? []).map(({ amountWei }) => amountWei)
      return {
        ...peer,
        earnedWei: earned.get(peer.peerKey) ?? 0n,
        tasksPaid: amounts.length,
        learnability: amounts.length === 0 ? null : shareOfFull(amounts),
        ...stakeOf(peer.peerKey),
      }
    })
    .sort((a, b) => (b.learnability ?? -1) - (a.learnability ?? -1) || descending(a.earnedWei, b.earnedWei))
}

/** A task that half of all attempts solve is paid most: the whole emission. */
function shareOfFull(amounts: readonly bigint[]): number {
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return Number((sum * 10_000n) / (BigInt(amounts.length) * PROPOSER_EMISSION_WEI)) / 10_000
}

const descending = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)
