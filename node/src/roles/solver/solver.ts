import { join } from 'node:path'
import type { RoundTime } from '#chain/roundClock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Hex } from '#core/hex.ts'
import type { Judge } from '#environments/codezero/createJudge.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { type CheckedGroup, checkRollouts, drawTasks, type RoundRules } from '../checkRollouts.ts'
import { claimEarnings } from '../claimEarnings.ts'
import { everyRound } from '../everyRound.ts'
import { fetchTasks } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { publishBody } from '../publishBody.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { awaitBeacon, recordInTime } from '../roundBeacon.ts'
import { answerRound } from './answerRound.ts'
import { publishCanary } from './canary.ts'
import { createLearner } from './learner.ts'
import { learnRound } from './learnRound.ts'
import { createQuarantine } from './quarantine.ts'
import type { SolverReport } from './solverReport.ts'
import { takeGroups } from './takeGroups.ts'

export const POLICY_FOLDER = 'policy'

/** Share of a round after which tasks that could not be had are given up. */
const FETCH_UNTIL = 0.4

/** Share of a round after which groups of other peers are no longer waited for. */
const TAKE_UNTIL = 0.8

/**
 * Solves in every round: draws tasks, answers them, shares and commits the answers, learns from them and from those of
 * other solvers.
 *
 * @param data - the peer's folder; the policy is kept in it after every round.
 */
export async function runSolver(node: PeerNode, policy: PolicyClient, judge: Judge, data: string): Promise<void> {
  const { logger, signal } = node
  const learner = createLearner(node, policy, judge)
  const quarantine = createQuarantine(node)
  await everyRound(node, async time => {
    const { round } = time
    // A round that was learned from before a restart would be answered by another policy than the one committed.
    if (node.journal.get(round, 'report') !== undefined) return
    recordInTime(node, time)
    if (!(await node.playsIn(round))) return
    const startedMs = node.clock.nowMs()
    const { spec, format } = node.environment
    // Both run from now: what is told of the chain's time is as old as this call.
    const [tasksDue, groupsDue] = [untilShare(node, time, FETCH_UNTIL), untilShare(node, time, TAKE_UNTIL)]
    const [beacon, bundles] = await Promise.all([awaitBeacon(node, time, tasksDue), fetchTasks(node, round, tasksDue)])
    if (beacon === null) return
    const rules: RoundRules = { spec, format, beacon, tasks: bundles.flatMap(({ admitted }) => admitted) }
    const mine = drawTasks(node.chainId, round, node.identity.peerKey, rules)
    if (mine.length === 0) return node.logger.info('no task in this round', { round })
    const groups = await answer(node, policy, round, rules)
    // After the commitment, which has to be in time, and before the policy changes.
    await publishCanary(node, policy, judge, round)
    const isHeld = (peerKey: Hex) => quarantine.holds(peerKey, round)
    const others = takeGroups(node, round, rules, groupsDue, isHeld)
    const modules = { learner, quarantine, logger, vocabSize: format.vocabSize, signal }
    const learned = await learnRound(modules, { round, mode: spec.sharing.mode, own: groups, others })
    await policy.save(join(data, POLICY_FOLDER))
    await claimEarnings(node, round)
    const rollouts = groups.reduce((sum, group) => sum + group.rollouts.length, 0)
    const seconds = (node.clock.nowMs() - startedMs) / 1000
    const report: SolverReport = { tasks: mine.length, rollouts, ...learned, seconds }
    node.journal.set(round, 'report', report)
    node.logger.info('learned', { round, ...report })
  })
}

/** Samples the owed answers, publishes and commits them. */
async function answer(node: PeerNode, policy: PolicyClient, round: number, rules: RoundRules): Promise<CheckedGroup[]> {
  const { chain, chainId, identity, logger } = node
  const bundle = await answerRound(policy, { chainId, round, peerKey: identity.peerKey }, rules)
  const count = bundle.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  const { bytes, tree } = await node.bodies.seal('rollouts', bundle)
  const commitment = { round, root: tree[0] as Hex, count, policyHash: bundle.policyHash }
  const contentId = await publishBody(node, bytes, { kind: 'rollouts', ...commitment })
  // Learning does not wait for the chain: the outbox sees to it, and a commitment that fails costs the points, not the lesson.
  void chain
    .commitRollouts({ ...commitment, contentId })
    .then(outcome => reportOutcome(logger, 'rollouts committed', outcome, { round }))
  return checkRollouts(bundle, rules)
}

/** Aborts at a share of the round. */
function untilShare({ signal }: PeerNode, { startsAtSec, endsAtSec, nowSec }: RoundTime, share: number): AbortSignal {
  const leftMs = (startsAtSec + (endsAtSec - startsAtSec) * share - nowSec) * 1000
  return withDeadline(signal, leftMs)
}
