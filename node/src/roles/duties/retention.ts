import { LAST_READING } from '@waggle/deployments/protocol'
import type { Environment } from '#environments/environment.ts'
import type { QuotaLimits } from '#store/payloadQuota.ts'
import { roomOfPeer } from '#store/payloadQuota.ts'
import { STAGE_ROUNDS } from '../draws/beaconTasks.ts'
import type { PeerNode } from '../peerNode.ts'

/** For a view that lags by a round, and a clock that runs ahead by one. */
const MARGIN_ROUNDS = 2

/** Rounds whose facts, and payloads where there is space, are kept for people and audits. */
export const HISTORY_ROUNDS = 200

/** Consecutive rounds that this node must have begun, if only to fail, before anything older than all of them is deleted. */
const CONFIRMED_BY = 3

/**
 * Rounds before the current one whose payloads can still decide a score, by the schedule of the chain: those that a jury may read, and, in an
 * environment with stages, those whose answers its prompts quote.
 */
export function neededRounds({ stages }: Pick<Environment, 'stages'>): number {
  return LAST_READING + MARGIN_ROUNDS + (stages ? STAGE_ROUNDS : 0)
}

/**
 * Derives the round from which others are counted back from the rounds that a node begins: the lowest of the last few, so that a clock
 * that jumps ahead once deletes nothing.
 *
 * @returns null while too few rounds were seen.
 */
export function createConfirmed(): (round: number) => number | null {
  const last: number[] = []
  return round => {
    // A round that is taken up again counts once.
    if (round !== last.at(-1)) last.push(round)
    if (last.length > CONFIRMED_BY) last.shift()
    return last.length < CONFIRMED_BY ? null : Math.min(...last)
  }
}

/** Deletes old facts and payloads, and warns if payloads that can still decide a score had no space. */
export async function keepHouse(
  { journal, bundles, environment, logger }: Pick<PeerNode, 'journal' | 'bundles' | 'environment' | 'logger'>,
  confirmed: number | null,
): Promise<void> {
  if (confirmed === null) return
  journal.prune(confirmed - HISTORY_ROUNDS)
  await bundles.pruneBefore(confirmed - HISTORY_ROUNDS)
  const rounds = neededRounds(environment)
  const lost = await bundles.needFrom(confirmed - rounds)
  if (lost > 0) logger.warn('payloads that a jury may ask for did not fit', { payloads: lost, rounds, hint: HINT })
}

const HINT = 'Raise --keep-peer-mb, and --keep-mb where many peers have large policies.'

/** Bytes of a peer's payloads in a round, at most. */
type RoundBytes = { rollouts: number; policy: number }

/**
 * Quotas, in MiB, that keep the payloads of one peer while a jury may ask for them; null if the present ones are large enough.
 *
 * @param bytes - the largest that the environment allows.
 */
export function neededQuotas(
  quotas: QuotaLimits,
  environment: Pick<Environment, 'stages'>,
  { rollouts, policy }: RoundBytes,
): { rounds: number; 'keep-peer-mb': number; 'keep-mb': number } | null {
  const rounds = neededRounds(environment)
  const policies = rounds * policy
  const all = policies + rounds * rollouts
  if (policies <= roomOfPeer(quotas, 'policy') && all <= roomOfPeer(quotas)) return null
  const bytes = Math.max(policies / (quotas.kindShares.policy ?? 1), all)
  const perPeer = Math.ceil(bytes / 2 ** 20)
  return { rounds, 'keep-peer-mb': perPeer, 'keep-mb': Math.max(8 * perPeer, Math.ceil(quotas.totalBytes / 2 ** 20)) }
}
