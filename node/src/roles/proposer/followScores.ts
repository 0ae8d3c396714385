import { phase } from '@waggle/deployments/protocol'
import { z } from 'zod'
import {
  type DifficultyState,
  difficultyStateSchema,
  initialDifficulty,
  observeSolvedShare,
} from '#environments/difficulty.ts'
import { ofRules } from '../models/forgetOtherRules.ts'
import type { PeerNode } from '../peerNode.ts'
import { proposalsOf } from './proposalsOf.ts'

/** The controller's state with the round that it has seen last: one value, so that a crash lets no round count twice. */
const keptSchema = difficultyStateSchema.extend({ seen: z.int().min(0).nullable().default(null) })

type Scores = Pick<PeerNode, 'chain' | 'environment' | 'journal' | 'playsIn'>

/** Updates the controller with every round that has become final since, and returns its level. */
export async function followScores(node: Scores, round: number): Promise<number> {
  const { difficulty } = proposalsOf(node.environment)
  const { journal } = node
  const kept = keptSchema.safeParse(journal.getState(ofRules.difficulty))
  const { seen, ...before } = kept.success ? kept.data : { ...initialDifficulty(difficulty), seen: null }
  let state: DifficultyState = before
  // Only final scores move the difficulty.
  const last = round - phase.opening
  // Rounds that passed while this peer was away had other tasks, so only the newest counts then.
  const first = seen !== null && last - seen <= difficulty.window ? seen + 1 : last
  for (let settled = Math.max(0, first); settled <= last; settled++) {
    const share = (await node.playsIn(settled)) ? await solvedShare(node, settled) : null
    if (share !== null)
      state = observeSolvedShare(state, { round: settled, solvedShare: share, next: round + 1 }, difficulty)
  }
  journal.setState(ofRules.difficulty, { ...state, solved: [...state.solved], seen: last < 0 ? null : last })
  return state.level
}

/**
 * The solved share of a settled round, from its mean settled score.
 *
 * @returns 0 to 1, or null if nothing was scored.
 */
async function solvedShare({ chain, environment }: Scores, round: number): Promise<number | null> {
  const settlements = (await chain.readSettlements(round)).filter(({ outcome }) => outcome === 'scored')
  if (settlements.length === 0) return null
  const mean = settlements.reduce((sum, { scoreMilli }) => sum + scoreMilli / 1000, 0) / settlements.length
  return environment.solvedShare(mean)
}
