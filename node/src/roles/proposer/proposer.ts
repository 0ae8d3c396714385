import type { TaskBundle } from '#core/bodies.ts'
import { contentId } from '#core/contentId.ts'
import { withDeadline } from '#core/deadline.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import {
  type DifficultyState,
  difficultyStateSchema,
  initialDifficulty,
  observeSolvedShare,
} from '#environments/difficulty.ts'
import { proposalsPerRound } from '#environments/environmentSpec.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { claimEarnings } from '../claimEarnings.ts'
import { everyRound } from '../everyRound.ts'
import { keepStake } from '../keepStake.ts'
import type { PeerNode } from '../peerNode.ts'
import { publishBody } from '../publishBody.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { roundSeed } from '../roundSeed.ts'
import { claimTasks, payTasks } from './claimTasks.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose } from './propose.ts'
import { solvedShare } from './solvedShare.ts'

/** Rounds until the scores of a round are final on the chain and may move the difficulty. */
const SETTLED_AFTER = 4

export type ProposerOptions = {
  /** Holds the difficulty; without it the level follows the settled scores. */
  level?: number | undefined
}

/** Rounds ahead that tasks are proposed for: one would do, two leave a slow machine a round to spare. */
const AHEAD = 2

/** Proposes tasks for the rounds to come while the current one runs. */
export async function runProposer(node: PeerNode, policy: PolicyClient, options: ProposerOptions = {}): Promise<void> {
  await everyRound(node, async time => {
    const { round } = time
    const level = options.level ?? (await followScores(node, round))
    for (let ahead = 1; ahead <= AHEAD; ahead++) await proposeFor(node, policy, round + ahead, level)
    const due = withDeadline(node.signal, Math.max(1, Math.round((time.endsAtSec - time.nowSec) * 500)))
    await claimTasks(node, round - 5, due)
    await payTasks(node, round - 6)
    await claimEarnings(node, round)
    await keepStake(node, 'proposer', round)
  })
}

async function proposeFor(node: PeerNode, policy: PolicyClient, round: number, level: number): Promise<void> {
  const { chainId, identity, journal, logger, environment, chain } = node
  if (round < node.countsFrom || journal.get(round, 'proposed') === true || !(await node.playsIn(round))) return
  const { peerKey } = identity
  if (!(await chain.readMayPropose(peerKey, round)))
    return logger.warn('not proposed: bootstrap is over, and this peer has no stake', { round })
  const count = proposalsPerRound(environment.spec)
  const seedOf = (attempt: number) => roundSeed('propose', chainId, round, ZERO_HASH, peerKey, attempt)
  const { tasks, refused } = await propose(policy, environment, level, count, seedOf)
  const invalid = Object.values(refused).reduce((sum, times) => sum + times, 0)
  logger.info('proposed', { round, difficulty: level, tasks: tasks.length, invalid, refused })
  journal.set(round, 'report', { level, tasks: tasks.length, invalid, refused })
  if (tasks.length === 0) return
  const bundle: TaskBundle = { v: 1, chainId, round, peerKey, policyHash: await policy.weightsHash(), level, tasks }
  const { bytes, tree } = await node.bodies.seal('tasks', bundle)
  const root = tree[0] as Hex
  const about = { kind: 'tasks', round, root, count: tasks.length } as const
  // Committed first: who copied them from the network is later, and earns nothing by them.
  const outcome = await chain.commitTasks({ round, root, count: tasks.length, contentId: contentId(bytes) })
  if (!reportOutcome(logger, 'tasks committed', outcome, { round })) return
  await publishBody(node, bytes, about)
  journal.set(round, 'proposed', true)
}

/** Moves the controller by every round that has become final since, and tells where it stands. */
async function followScores(node: PeerNode, round: number): Promise<number> {
  const { difficulty } = proposalsOf(node.environment)
  const { journal } = node
  const kept = difficultyStateSchema.safeParse(journal.getState('difficulty'))
  let state: DifficultyState = kept.success ? kept.data : initialDifficulty(difficulty)
  const last = round - SETTLED_AFTER
  const seen = journal.getState('difficulty round')
  // Rounds that passed while this peer was away said something of other tasks: only the newest counts then.
  const first = typeof seen === 'number' && last - seen <= difficulty.window ? seen + 1 : last
  for (let settled = Math.max(0, first); settled <= last; settled++) {
    const share = await solvedShare(node, settled)
    if (share !== null) state = observeSolvedShare(state, share, difficulty)
  }
  journal.setState('difficulty', { ...state, solved: [...state.solved] })
  journal.setState('difficulty round', last)
  return state.level
}
