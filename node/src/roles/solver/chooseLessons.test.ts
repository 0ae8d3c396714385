import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import { countDiffering, farthestAnswers, isWorthy, mostSignal, mostSignalOfPeers } from './chooseLessons.ts'
import { createTrust } from './trust.ts'

const group = (...rewards: number[]) =>
  ({ rollouts: rewards.map((_, index) => ({ index })), rewards }) as unknown as ScoredGroup

test('groups whose rewards deviate most are chosen, weighed, and stay in their order', () => {
  const groups = [group(0.5, 0.5), group(0, 0.6), group(0.1, 0.3), group(0.2, 1)]
  const places = (chosen: readonly ScoredGroup[]) => chosen.map(chosenGroup => groups.indexOf(chosenGroup))
  expect(places(mostSignal(groups, 2))).toEqual([1, 3])
  expect(places(mostSignal(groups, 2, chosen => (chosen === groups[3] ? 0.1 : 1)))).toEqual([1, 2])
  expect(mostSignal(groups, null)).toBe(groups)
})

test('groups of which each answer is wrong, and worth less than the own ones on average, are not worth learning from', () => {
  const worthy = (rewards: number[], correctness: number[], ownReward = 0.6) =>
    isWorthy({ rewards, correctness }, ownReward)
  expect(worthy([0.2, 0.2, 0, 0], [0, 0, 0, 0])).toBe(false)
  expect(worthy([0.2, 0.2, 0, 0.4], [0, 0, 0, 0.5])).toBe(false)
  expect(worthy([0.2, 0.2, 0, 0.5], [0, 0, 0, 0.51])).toBe(true)
  expect(worthy([0.2, 0.6, 0, 0], [0, 0, 0, 0])).toBe(true)
  // A solver that can do nothing yet learns the form of an answer.
  expect(worthy([0.2, 0.2, 0, 0], [0, 0, 0, 0], 0.15)).toBe(true)
})

test('groups whose rewards deviate enough are counted', () => {
  expect(countDiffering([group(0.5, 0.5), group(0.1, 0.3), group(0.2, 1)], 0.2)).toBe(1)
})

test('no peer of several gives more than half, however trusted and however informative its groups', () => {
  const of = (peerKey: '0x01' | '0x02', ...rewards: number[]) => ({ ...group(...rewards), peerKey })
  const loud = [0, 1, 2, 3].map(() => of('0x01', 0, 1))
  const quiet = [0, 1].map(() => of('0x02', 0.4, 0.6))
  const trustOf = (peerKey: string) => (peerKey === '0x01' ? 1 : 0.5)
  const peersOf = (chosen: readonly { peerKey: string }[]) => chosen.map(({ peerKey }) => peerKey)
  expect(peersOf(mostSignalOfPeers([...loud, ...quiet], 4, trustOf))).toEqual(['0x01', '0x01', '0x02', '0x02'])
  expect(mostSignalOfPeers(loud, 3, trustOf)).toHaveLength(3)
  expect(mostSignalOfPeers(loud, null, trustOf)).toBe(loud)
})

test('the best and the worst answers of a group are kept, with their rewards, in order', () => {
  const answers = ({ rollouts, rewards }: ScoredGroup) => rollouts.map(({ index }, i) => [index, rewards[i]])
  const all = group(0.5, 0.9, 0.1, 0.6, 0.4)
  expect(answers(farthestAnswers(all, 3))).toEqual([
    [1, 0.9],
    [2, 0.1],
    [3, 0.6],
  ])
  expect(farthestAnswers(all, 5)).toBe(all)
  expect(farthestAnswers(all, null)).toBe(all)
})

test('trust follows what a peer’s answers are worth, a stranger has half of it, and a restart keeps it', () => {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const trust = createTrust({ journal })
  expect(trust.of('0x01')).toBe(0.5)
  for (let round = 0; round < 20; round++) {
    trust.note('0x01', round, 0.8, 0.6)
    trust.note('0x02', round, 0.15, 0.6)
  }
  expect(trust.of('0x01')).toBeCloseTo(1, 2)
  expect(createTrust({ journal }).of('0x02')).toBeCloseTo(0.25, 2)
})
