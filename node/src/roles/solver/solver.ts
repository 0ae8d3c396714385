import { join } from 'node:path'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import { readAhead } from '#core/readAhead.ts'
import type { Judge } from '#environments/environment.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { stageSource } from '../draws/beaconTasks.ts'
import { type RoundRules, roundRules } from '../draws/checkRollouts.ts'
import { drawTasks, readTaskPlaces, type Skip } from '../draws/drawTasks.ts'
import { awaitBeacon, beaconOf, recordInTime } from '../draws/roundBeacon.ts'
import { claimEarnings } from '../duties/claimEarnings.ts'
import { everyRound } from '../duties/everyRound.ts'
import { withdrawCredit } from '../duties/withdrawCredit.ts'
import { publishSealed } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { hasCommitted, watchCommitment } from '../reports/twin.ts'
import { answerHere } from './answerRound.ts'
import { publishCanary } from './canary.ts'
import { createLearner } from './learner.ts'
import { learnRound } from './learnRound.ts'
import type { PolicyPusher } from './pushPolicy.ts'
import { createQuarantine } from './quarantine.ts'
import { createSamplingTime } from './samplingTime.ts'
import type { ServedSampler } from './servedSampler.ts'
import { createPolicySaver, isItsPolicy, namePolicy, samplerOf, saveLearned } from './solverPolicy.ts'
import { type SolverReport, solverReport } from './solverReport.ts'
import { scoreAhead, takeGroups } from './takeGroups.ts'
import { createTrust } from './trust.ts'

export const POLICY_FOLDER = 'policy'

/** Share of a round after which its beacon is no longer waited for. */
const BEACON_UNTIL = 0.4

/** Share of a round after which groups of other peers are no longer waited for. */
const TAKE_UNTIL = 0.8

type SolverSettings = {
  /** The peer's folder; the policy is kept in it after every round. */
  data: string
  /** Kind of the policy's trained tensors. */
  trained: 'weights' | 'adapter'
  /** Reason why its answers are not paid: it learns, and commits nothing. Null if they are paid. */
  unpaid?: string | null
  /** The dataset that a task's text comes from. */
  datasetOf?: ((text: string) => string | undefined) | undefined
  /** Publishes learned policies. */
  pusher?: Pick<PolicyPusher, 'learned'> | undefined
  /** A server that samples its answers, which are then not paid. By default the policy of this process samples. */
  served?: ServedSampler | undefined
  /** Whether the judge scores while the policy samples. */
  judgesApart?: boolean
}

/**
 * Solves in every round: draws tasks, answers them, commits the answers, and learns from them and from other solvers' answers of
 * the round before. Answers are public from the end of their round.
 */
export async function runSolver(
  node: PeerNode,
  policy: PolicyClient,
  judge: Judge,
  { data, trained, unpaid = null, datasetOf, pusher, served, judgesApart = false }: SolverSettings,
): Promise<void> {
  const { logger, signal } = node
  const learner = createLearner(node, policy, judge, trained, datasetOf, served === undefined)
  const quarantine = createQuarantine(node)
  const trust = createTrust(node)
  const saver = createPolicySaver(policy, join(data, POLICY_FOLDER))
  const sampling = createSamplingTime(node)
  const isPaid = unpaid === null
  let firstRound: number | null = null

  async function play(time: RoundTime): Promise<void> {
    const { round } = time
    firstRound ??= round
    // In the first round, another machine may have run this peer before and committed.
    if (round - 1 > firstRound) void watchCommitment(node, round - 1)
    await publishSealed(node, round)
    // After learning from a round before a restart, its answers would come from another policy than the committed one.
    if (node.journal.get(round, 'report') !== undefined) return
    recordInTime(node, time)
    if (round < node.countsFrom || !(await node.playsIn(round))) return
    const startedMs = node.clock.nowMs()
    // Both count from now, because `time` was read just before this call.
    const [beaconDue, groupsDue] = [untilShare(node, time, BEACON_UNTIL), untilShare(node, time, TAKE_UNTIL)]
    const isLate = isPaid && (await isBegunLate(node, round))
    const { skippedPlaces, skip } = countSkipped()
    const rules = await awaitRules(node, time, beaconDue, skip)
    if (rules === null || (isLate && !sampling.fits(time, startedMs))) return
    const mine = drawTasks(node.chainId, round, node.identity.peerKey, rules)
    if (mine.length === 0) return node.logger.info('no task in this round', { round })
    if (!(await isItsPolicy(node, policy, round))) return
    const { spec, format } = node.environment
    const modules = { learner, quarantine, trust, logger, vocabSize: format.vocabSize, signal }
    const trustIn = (peerKey: PeerKey) => (quarantine.holds(peerKey, round) ? 0 : trust.of(peerKey))
    const taken = groupsOf(node, round - 1, groupsDue, trustIn)
    // Groups of others arrive while the own answers are sampled, and are scored meanwhile if the judge has its own process.
    const others = readAhead(judgesApart ? scoreAhead(readAhead(taken), modules) : taken)
    const sampler = isPaid ? await samplerOf(node, policy, node.environment.solverFolder, round) : policy
    const answered = served
      ? await served.answer(round, rules, groupsDue)
      : await sampling.measure(() => answerHere(node, sampler, { time, atMs: startedMs }, rules, isPaid))
    // After the commitment, which has to be in time, and before the policy changes.
    await publishCanary(node, sampler, judge, round)
    saver.changes()
    const lessons = { round, spec, own: answered.groups, others, until: groupsDue }
    const learned = await saveLearned(modules, saver, round, await learnRound(modules, lessons))
    if (learned.updates > 0) await served?.handOver()
    if (isPaid) await namePolicy(node, policy, round + 1)
    const seconds = (node.clock.nowMs() - startedMs) / 1000
    const report = solverReport({ tasks: mine.length, answered, learned, skippedPlaces, seconds, unpaid })
    node.journal.set(round, 'report', report)
    node.logger.info('learned', { round, ...report })
    await pusher?.learned(round)
    // Last: they wait for a block, and after a stop meanwhile the changed policy would answer the round again.
    for (const collect of [withdrawCredit, claimEarnings]) await collect(node, round)
  }

  await everyRound(node, async time => {
    // Saves updates that could not be saved earlier.
    await saver.save()
    await play(time)
    // Needed if nothing was learned, and in the round before the key counts.
    if (isPaid && time.round + 1 >= node.countsFrom) await namePolicy(node, policy, time.round + 1)
  })
}

/** Before its beacon is known, no round is begun late; a round that is repeated after a stop has its answers committed already. */
async function isBegunLate(node: PeerNode, round: number): Promise<boolean> {
  return !hasCommitted(node.journal, round) && (await beaconOf(node, round - 1)) !== null
}

/** Counts the places of a round's proposals without a valid task, by reason. */
function countSkipped(): Pick<SolverReport, 'skippedPlaces'> & { skip: Skip } {
  const skippedPlaces: SolverReport['skippedPlaces'] = {}
  const skip: Skip = reason => {
    skippedPlaces[reason] = (skippedPlaces[reason] ?? 0) + 1
  }
  return { skippedPlaces, skip }
}

/** The rules for answers of this round, once its beacon is known; null if that is too late. */
async function awaitRules(node: PeerNode, time: RoundTime, until: AbortSignal, skip: Skip): Promise<RoundRules | null> {
  const { environment, chainId } = node
  const { round } = time
  const [beacon, places] = await Promise.all([awaitBeacon(node, time, until), readTaskPlaces(node, round, skip)])
  if (beacon === null) return null
  return roundRules(environment, { chainId, round, beacon }, places, stageSource(node, until))
}

/** The rules for answers of an earlier round; null if no answers were owed. */
async function rulesOf(node: PeerNode, round: number, until: AbortSignal): Promise<RoundRules | null> {
  const { environment, chainId } = node
  const beacon = round < 0 ? null : await beaconOf(node, round - 1)
  if (beacon === null) return null
  const places = await readTaskPlaces(node, round)
  return roundRules(environment, { chainId, round, beacon }, places, stageSource(node, until))
}

/** Groups of other solvers in an earlier round. */
async function* groupsOf(node: PeerNode, round: number, until: AbortSignal, trustIn: (peerKey: PeerKey) => number) {
  const rules = await rulesOf(node, round, until)
  if (rules !== null) yield* takeGroups(node, round, rules, until, trustIn)
}

/** Aborts at a share of the round. */
function untilShare({ signal }: PeerNode, { startsAtSec, endsAtSec, nowSec }: RoundTime, share: number): AbortSignal {
  const leftMs = (startsAtSec + (endsAtSec - startsAtSec) * share - nowSec) * 1000
  return withDeadline(signal, leftMs)
}
