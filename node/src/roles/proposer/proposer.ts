import { phase } from '@waggle/deployments/protocol'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Seed } from '#core/hashes.ts'
import { abiWords, keccak } from '#core/keccak.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { proposalsPerRound } from '#environments/environmentSpec.ts'
import { awaitBeacon } from '../draws/roundBeacon.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { claimEarnings } from '../duties/claimEarnings.ts'
import { everyRound } from '../duties/everyRound.ts'
import { keepStake } from '../duties/keepStake.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { type Candidate, encodeGroups, groupsOf } from './candidates.ts'
import { claimTasks } from './claimTasks.ts'
import type { DatasetProposer } from './datasetProposer.ts'
import { followScores } from './followScores.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose, type WriteProposals } from './propose.ts'
import { createProposedLately, type ProposedLately } from './proposedLately.ts'
import { CANDIDATES, type ProposerLearner } from './proposerLearner.ts'
import { createTaskList, type TaskList } from './taskList.ts'

/** The journal's key for the position in the dataset. */
export const DATASET_POSITION = 'dataset'

/** Folder of the adapter of a proposer that learns. */
export const PROPOSER_FOLDER = 'proposer'

/** Sources of tasks: a model, a dataset, or both. */
export type TaskSources = {
  readonly write: WriteProposals | null
  /** `share` of the tasks comes from the dataset; its tasks also replace the model's invalid ones. */
  readonly dataset: { readonly proposer: DatasetProposer; readonly share: number } | null
  /** Trains the model on the value of its tasks; null if it is frozen, or on a server. */
  readonly learner: ProposerLearner | null
}

type ProposerOptions = {
  /** Holds the difficulty; without it the level follows the settled scores. */
  level?: number | undefined
}

/** Share of a round after which its proposal is given up, if the beacon that it is sampled by does not come. */
const BEACON_UNTIL = 0.8
/** Share after which sampling stops: the proposal has to be on the chain by the end of the round, or the next two rounds are lost. */
const WRITTEN_UNTIL = 0.9

/** Proposes tasks for the next round while the current one runs. */
export async function runProposer(node: PeerNode, sources: TaskSources, options: ProposerOptions = {}): Promise<void> {
  const { environment } = node
  const most = proposalsPerRound(environment.spec)
  const lately = createProposedLately(node.chain.readProposals, proposalsOf(environment), most)
  await everyRound(node, async time => {
    const { round, nowSec, endsAtSec } = time
    const level = options.level ?? (await followScores(node, round))
    await proposeNext(node, sources, time, level, lately)
    const due = withDeadline(node.signal, Math.max(1, Math.round((endsAtSec - nowSec) * 500)))
    await claimTasks(node, round - phase.paying, due)
    await sources.learner?.learn(round, due)
    await claimEarnings(node, round)
    await keepStake(node, 'proposer', round)
  })
}

/**
 * Proposes for the next round, if it is owed; if that is impossible, commits to the secret of the one after it. A round that begins under other rules
 * is owed, too: its secret was committed to before they were known.
 */
async function proposeNext(
  node: PeerNode,
  sources: TaskSources,
  time: RoundTime,
  level: number,
  lately: ProposedLately,
): Promise<void> {
  const { chain, countsFrom, identity, journal, logger } = node
  const round = time.round + 1
  if (round + 1 < countsFrom || journal.get(round, 'proposed') === true) return
  const plays = await node.playsIn(round)
  const hasSecret = await chain.readHasSecret(identity.peerKey, round)
  const isProposed = hasSecret && (await proposeFor(node, sources, { ...time, isLast: !plays }, level, lately))
  if (!plays) return
  // Read after the proposal, which takes most of a round: its operator may have given notice meanwhile.
  if (!(await chain.readMayPropose(identity.peerKey, round + 1))) return await reportNoDuty(node, round + 1)
  if (!isProposed) {
    const outcome = await chain.commitSecret(round + 1)
    reportOutcome(logger, 'secret committed', outcome, { round: round + 1 })
  }
}

/** Says why no tasks are proposed from a round on. */
async function reportNoDuty({ chain, identity, logger }: PeerNode, round: number): Promise<void> {
  const { freeFromRound } = await chain.readStake('proposer', identity.peerKey)
  if (freeFromRound === 0)
    logger.warn('no tasks proposed: bootstrap is over, and this peer has not enough stake', { round })
  else logger.info('no tasks proposed: notice was given of the stake', { round, freeFromRound })
}

/** @returns whether the proposal is on the chain, with the hash of the next round's secret unless it is the last. */
async function proposeFor(
  node: PeerNode,
  sources: TaskSources,
  time: RoundTime & { isLast: boolean },
  level: number,
  lately: ProposedLately,
): Promise<boolean> {
  const { chain, chainId, environment, identity, journal, logger, signal } = node
  const round = time.round + 1
  const untilShare = (share: number) =>
    withDeadline(signal, (time.startsAtSec + (time.endsAtSec - time.startsAtSec) * share - time.nowSec) * 1000)
  // Counted from now: the reading of the chain's time is as old as this call.
  const written = untilShare(WRITTEN_UNTIL)
  const beacon = await awaitBeacon(node, time, untilShare(BEACON_UNTIL))
  if (beacon === null) return false
  // Nobody can sample the same before the secret is revealed, together with the tasks.
  const hidden = keccak(abiWords([chain.proposalSecret(round), beacon]))
  const seedOf = (attempt: number) => roundSeed('propose', chainId, round, hidden, identity.peerKey, attempt)
  const list = createTaskList(environment, level, proposalsPerRound(environment.spec), await lately.before(round))
  const { fromDataset, candidates } = await gatherTasks(sources, environment, level, list, seedOf, written)
  const { texts, refused } = list
  const invalid = Object.values(refused).reduce((sum, times) => sum + times, 0)
  const counts = { tasks: texts.length, fromDataset, invalid, refused: { ...refused }, ...refusedRows(sources) }
  logger.info('proposed', { round, difficulty: level, ...counts })
  journal.set(round, 'report', { level, ...counts })
  if (texts.length === 0) return false
  if (sources.learner) journal.set(round, CANDIDATES, encodeGroups(groupsOf(candidates)))
  const { isLast } = time
  const outcome = await chain.propose({ round, count: texts.length, bytes: encodeProposal({ level, texts }), isLast })
  if (!reportOutcome(logger, 'tasks proposed', outcome, { round })) return false
  journal.set(round, 'proposed', true)
  if (sources.dataset) {
    sources.dataset.proposer.proposed()
    journal.setState(DATASET_POSITION, sources.dataset.proposer.position())
  }
  return true
}

/** Reasons that a report names; most datasets have two or three. */
const REASONS = 8

/** Rows of the dataset that were not tasks so far: their number by reason, and the first of each. */
export function refusedRows({ dataset }: Pick<TaskSources, 'dataset'>): { refusedRows?: Record<string, string> } {
  const most = (dataset?.proposer.refusals() ?? []).toSorted((a, b) => b.rows - a.rows).slice(0, REASONS)
  if (most.length === 0) return {}
  const told = most.map(({ reason, rows, file, row }) => [reason, `${rows}, first ${file}:${row}`])
  return { refusedRows: Object.fromEntries(told) }
}

/**
 * Fills a list: with the dataset's share, then the model's, then more of the dataset's tasks for the rest, then recently proposed tasks.
 *
 * @returns the number of tasks from the dataset, and candidates that the model could learn from.
 */
export async function gatherTasks(
  { write, dataset }: Pick<TaskSources, 'write' | 'dataset'>,
  environment: PeerNode['environment'],
  level: number,
  list: TaskList,
  seedOf: (attempt: number) => Seed,
  until: AbortSignal,
): Promise<{ fromDataset: number; candidates: Candidate[] }> {
  const wanted = list.wanted()
  await dataset?.proposer.take(list, Math.round(wanted * dataset.share), until)
  const before = list.texts.length
  const candidates = write ? await propose(write, environment, level, list, seedOf, until) : []
  const proposed = list.texts.length - before
  await dataset?.proposer.take(list, list.wanted(), until)
  const fromDataset = list.texts.length - proposed
  await list.repeat()
  return { fromDataset, candidates }
}
