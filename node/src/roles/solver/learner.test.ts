import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom, presets } from '#environments/codezero/presets.ts'
import type { Environment } from '#environments/environment.ts'
import type { RolloutGroup } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createLearner, type ScoredGroup } from './learner.ts'

const noStep = { groupsUsed: 1, step: null, kl: null, undone: false, refuted: 0 }
const rollouts = [0, 1, 2, 3].map(index => ({ index, completionTokens: [index], logprobs: [-1], promptTokens: [1] }))
const group = { rollouts, rewards: [0.5, 0.1, 0.9, 0.6] } as unknown as ScoredGroup

/** The rewards that each update was given, and how many rounds the warm-up counts. */
async function learned(answersPerGroup: number | null, updates: number) {
  const spec = environmentFrom('starter', { training: { ...presets.starter.training, answersPerGroup } })
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const rewards: number[][] = []
  const policyStep = async (groups: readonly RolloutGroup[]) => {
    rewards.push(...groups.map(({ completions }) => completions.map(({ reward }) => reward)))
    return noStep
  }
  const environment = { spec } as unknown as Environment
  const policy = { policyStep } as unknown as PolicyClient
  const judge = { score: async () => [] }
  const lesson = await createLearner({ environment, journal, logger: silentLogger }, policy, judge).learn(
    [group],
    1,
    updates,
  )
  return { ...lesson, rewards, rounds: journal.getState('rounds learned') }
}

test('a group teaches as many of its answers as the specification says, and a round of several updates is one round', async () => {
  expect(await learned(null, 1)).toEqual({ failure: null, updates: 1, rewards: [[0.5, 0.1, 0.9, 0.6]], rounds: 1 })
  const twice = [
    [0.1, 0.9],
    [0.1, 0.9],
  ]
  expect(await learned(2, 2)).toEqual({ failure: null, updates: 2, rewards: twice, rounds: 1 })
})
