import { expect, test } from 'vitest'
import type { CheckedGroup } from '../checkRollouts.ts'
import type { Learner } from './learner.ts'
import { learnRound } from './learnRound.ts'

const group = (name: string) => ({ task: { taskHash: name }, rollouts: [] }) as unknown as CheckedGroup

/** Notes what each update was given. */
function notingLearner() {
  const updates: { groups: string[]; own: number }[] = []
  const learner: Learner = {
    async learn(groups, own) {
      updates.push({ groups: groups.map(({ task }) => task.taskHash), own })
      return own > 0 ? { meanReward: 0.5, averageAtK: 0.25 } : { meanReward: 0, averageAtK: 0 }
    },
  }
  return { learner, updates }
}

async function* peers(...lists: string[][]) {
  for (const names of lists) yield names.map(group)
}

const own = [group('a'), group('b')]

test('updateForEachPeer: the own groups first, then an update for each peer', async () => {
  const { learner, updates } = notingLearner()
  const report = await learnRound(learner, 'updateForEachPeer', own, peers(['c', 'd'], ['e']))
  expect(updates).toEqual([
    { groups: ['a', 'b'], own: 2 },
    { groups: ['c', 'd'], own: 0 },
    { groups: ['e'], own: 0 },
  ])
  expect(report).toEqual({ meanReward: 0.5, averageAtK: 0.25, taken: 3 })
})

test('mixed: own and taken groups share one update', async () => {
  const { learner, updates } = notingLearner()
  const report = await learnRound(learner, 'mixed', own, peers(['c'], ['d']))
  expect(updates).toEqual([{ groups: ['a', 'b', 'c', 'd'], own: 2 }])
  expect(report).toEqual({ meanReward: 0.5, averageAtK: 0.25, taken: 2 })
})

test('mixed: with nothing to take, the own groups alone', async () => {
  const { learner, updates } = notingLearner()
  const report = await learnRound(learner, 'mixed', own, peers())
  expect(updates).toEqual([{ groups: ['a', 'b'], own: 2 }])
  expect(report.taken).toBe(0)
})
