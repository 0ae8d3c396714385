import type { RoundTime } from '#chain/roundClock.ts'
import { withDeadline } from '#core/deadline.ts'
import { abiWords, keccak } from '#core/keccak.ts'
import { encodeProposal, fittingTexts } from '#core/taskProposal.ts'
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
import { reportOutcome } from '../reportOutcome.ts'
import { awaitBeacon } from '../roundBeacon.ts'
import { roundSeed } from '../roundSeed.ts'
import { claimTasks } from './claimTasks.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose } from './propose.ts'
import { solvedShare } from './solvedShare.ts'

/** Rounds until the scores of a round are final on the chain and may move the difficulty. */
const SETTLED_AFTER = 4

export type ProposerOptions = {
  /** Holds the difficulty; without it the level follows the settled scores. */
  level?: number | undefined
}

/** Share of a round after which its proposal is given up, if the beacon that it is sampled by does not come. */
const BEACON_UNTIL = 0.8

/** Proposes tasks for the next round while the current one runs. */
export async function runProposer(node: PeerNode, policy: PolicyClient, options: ProposerOptions = {}): Promise<void> {
  await everyRound(node, async time => {
    const { round, nowSec, endsAtSec } = time
    const level = options.level ?? (await followScores(node, round))
    await proposeNext(node, policy, time, level)
    const due = withDeadline(node.signal, Math.max(1, Math.round((endsAtSec - nowSec) * 500)))
    await claimTasks(node, round - 5, due)
    await claimEarnings(node, round)
    await keepStake(node, 'proposer', round)
  })
}

/** Proposes for the next round; where that cannot be, commits to the secret of the one after it. */
async function proposeNext(node: PeerNode, policy: PolicyClient, time: RoundTime, level: number): Promise<void> {
  const { chain, countsFrom, identity, journal, logger } = node
  const round = time.round + 1
  if (round + 1 < countsFrom || journal.get(round, 'proposed') === true || !(await node.playsIn(round))) return
  if (!(await chain.readMayPropose(identity.peerKey, round)))
    return logger.warn('not proposed: bootstrap is over, and this peer has no stake', { round })
  const hasSecret = await chain.readHasSecret(identity.peerKey, round)
  const isProposed = hasSecret && (await proposeFor(node, policy, time, level))
  if (!isProposed) {
    const outcome = await chain.commitSecret(round + 1)
    reportOutcome(logger, 'secret committed', outcome, { round: round + 1 })
  }
}

/** @returns whether the proposal is on the chain, with the hash of the next round's secret. */
async function proposeFor(node: PeerNode, policy: PolicyClient, time: RoundTime, level: number): Promise<boolean> {
  const { chain, chainId, environment, identity, journal, logger, signal } = node
  const round = time.round + 1
  const leftMs = (time.startsAtSec + (time.endsAtSec - time.startsAtSec) * BEACON_UNTIL - time.nowSec) * 1000
  const beacon = await awaitBeacon(node, time, withDeadline(signal, Math.max(1, leftMs)))
  if (beacon === null) return false
  // Nobody can sample the same before the secret is shown, and that is done with the tasks.
  const hidden = keccak(abiWords([chain.proposalSecret(round), beacon]))
  const seedOf = (attempt: number) => roundSeed('propose', chainId, round, hidden, identity.peerKey, attempt)
  const sampled = await propose(policy, environment, level, proposalsPerRound(environment.spec), seedOf)
  const { refused } = sampled
  const texts = fittingTexts({ level, texts: sampled.texts })
  const invalid = Object.values(refused).reduce((sum, times) => sum + times, 0)
  logger.info('proposed', { round, difficulty: level, tasks: texts.length, invalid, refused })
  journal.set(round, 'report', { level, tasks: texts.length, invalid, refused })
  if (texts.length === 0) return false
  const outcome = await chain.propose({ round, count: texts.length, bytes: encodeProposal({ level, texts }) })
  if (!reportOutcome(logger, 'tasks proposed', outcome, { round })) return false
  journal.set(round, 'proposed', true)
  return true
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
