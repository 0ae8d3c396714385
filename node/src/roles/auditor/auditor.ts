import { phase, SHARD_PEERS, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import { withDeadline } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { followAppeals, restsUntil } from '../appellant/followAppeals.ts'
import { type Appeals, staggerAppeals } from '../appellant/staggerAppeals.ts'
import { isClearlyOff } from '../appellant/weighAppeal.ts'
import type { Models } from '../checking/proofs.ts'
import { readingDeadline } from '../checking/readingDeadline.ts'
import { scoreAgain } from '../checking/scoreAgain.ts'
import { everyRound } from '../duties/everyRound.ts'
import type { PeerNode } from '../peerNode.ts'
import type { AuditCounts } from '../roleCounts.ts'

type AuditorSettings = {
  /** Most scores of a round that it appeals; 0 to report only. */
  maxAppeals: number
}

/** Replaced in tests. */
type AuditorModules = { score: typeof scoreAgain }

/** Reads of settlements in a round. */
const READS_A_ROUND = 8

/**
 * Recomputes every score in the round of its settlement, from the payloads that the network keeps; reports clearly wrong scores, and appeals
 * them. Scores of unavailable payloads count as unchecked, and those of policies over a base that it does not hold as `no base`.
 *
 * @see docs/adr/0114-an-auditor-scores-everything-again.md
 */
export function runAuditor(
  node: PeerNode,
  models: Models,
  settings: AuditorSettings,
  { score }: AuditorModules = { score: scoreAgain },
): Promise<void> {
  return everyRound(node, async time => {
    await followAppeals(node, time.round)
    const round = time.round - phase.settling
    if (round < 0 || !(await node.playsIn(round))) return
    const remainingMs = Math.max(0, time.endsAtSec - time.nowSec) * 1000
    const roundMs = roundLengthSec(time) * 1000
    const endsAtMs = node.clock.nowMs() + remainingMs
    const audit = { ...settings, score, round, roundMs, endsAtMs, until: withDeadline(node.signal, remainingMs) }
    await auditRound(node, models, audit, remainingMs / READS_A_ROUND)
  })
}

type RoundToAudit = AuditorSettings &
  AuditorModules & { round: number; until: AbortSignal; roundMs: number; endsAtMs: number }

/** Audits settlements of a round until all commitments are settled, or the time is up. */
export async function auditRound(node: PeerNode, models: Models, audit: RoundToAudit, pauseMs: number): Promise<void> {
  const { chain, clock, signal } = node
  const { round, until } = audit
  const due = (await chain.readRolloutCommitments(round)).length
  const appeals = staggerAppeals(node, { ...audit, peers: due })
  const read = new Set<PeerKey>()
  const lacking = new Map<Hex, number>()
  const left = () => readingDeadline(clock, audit, due - read.size + 1)
  for (;;) {
    for (const { peerKey, outcome, scoreMilli } of await chain.readSettlements(round)) {
      if (read.has(peerKey)) continue
      read.add(peerKey)
      // No seat voted on the others.
      if (outcome === 'scored' || outcome === 'unavailable')
        await auditScore(
          node,
          models,
          { ...audit, appeals, lacking, until: left() },
          { peerKey, settledMilli: scoreMilli },
        )
    }
    if (read.size >= due || until.aborted) break
    await clock.sleep(pauseMs, until).catch(() => undefined)
    signal.throwIfAborted()
  }
  await appeals.done()
  if (lacking.size > 0)
    node.logger.warn('it cannot check settled scores of policies over bases that it does not hold', {
      ...{ round, bases: Object.fromEntries(lacking) },
    })
  count(node, 'rounds')
}

async function auditScore(
  node: PeerNode,
  models: Models,
  { round, score, until, appeals, lacking }: RoundToAudit & { appeals: Appeals; lacking: Map<Hex, number> },
  { peerKey, settledMilli }: { peerKey: PeerKey; settledMilli: number },
): Promise<void> {
  const { logger } = node
  const about = { round, peerKey, settledMilli }
  let found: Awaited<ReturnType<typeof score>> = null
  try {
    found = await score(node, models, { round, peerKey }, until)
  } catch (error) {
    node.signal.throwIfAborted()
    logger.warn('a settled score could not be read again', { ...about, error })
  }
  if (found === null || found === UNAVAILABLE) return count(node, 'unchecked')
  if (typeof found === 'object') {
    lacking.set(found.lacksBase, (lacking.get(found.lacksBase) ?? 0) + 1)
    return count(node, 'no base')
  }
  if (!isClearlyOff(settledMilli, found)) return count(node, 'right')
  count(node, 'wrong')
  const wrong = { ...about, foundMilli: found }
  logger.warn('a settled score is wrong', { ...wrong, evaluators: await wrongSeats(node, wrong) })
  if (restsUntil(node) <= round + phase.settling) appeals.take({ ...wrong, level: 1 })
}

/** Evaluators whose vote on a peer is outside the tolerance of the score found. */
async function wrongSeats(
  { chain }: PeerNode,
  { round, peerKey, foundMilli }: { round: number; peerKey: PeerKey; foundMilli: number },
): Promise<Hex[]> {
  const [commitments, votes] = await Promise.all([chain.readRolloutCommitments(round), chain.readRevealedVotes(round)])
  const ordinal = commitments.find(one => one.peerKey === peerKey)?.ordinal ?? Number.NaN
  return votes.flatMap(({ shard, evaluatorKey, scoresMilli }) => {
    if (shard !== Math.floor(ordinal / SHARD_PEERS)) return []
    const vote = scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE
    return vote !== UNAVAILABLE && Math.abs(vote - foundMilli) > TOLERANCE_MILLI ? [evaluatorKey] : []
  })
}

function count({ auditCounts }: Pick<PeerNode, 'auditCounts'>, what: Parameters<AuditCounts['get']>[0]): void {
  auditCounts.set(what, (auditCounts.get(what) ?? 0) + 1)
}
