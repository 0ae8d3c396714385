import { expect, test } from 'vitest'
import { passByFamily, passByLevel, passByPeer, passByProposer } from './passByLevel.ts'

const group = (level: number, ...correctness: number[]) => ({ task: { level }, correctness })

test('answers are reported by the level of their task: the mean, and the chances of one and of several, with intervals', () => {
  const levels = passByLevel([group(3, 0.9, 0.1, 0.2, 0.2), group(1, 1, 1), group(3, 0.1, 0, 0, 0.3), group(2)])
  expect(levels.map(({ level, tasks, samples }) => [level, tasks, samples])).toEqual([
    [1, 1, 2],
    [3, 2, 4],
  ])
  const [easy, hard] = levels
  expect([easy?.averageAtK.value, easy?.passAt1.value, easy?.passAtK.value]).toEqual([1, 1, 1])
  expect(hard?.averageAtK.value).toBeCloseTo(1.8 / 8, 12)
  expect(hard?.averageAtK.high).toBeGreaterThan(1.8 / 8)
  // One of four answers to one of two tasks.
  expect([hard?.passAt1.value, hard?.passAtK.value]).toEqual([0.125, 0.5])
  for (const estimate of [hard?.averageAtK, hard?.passAt1, hard?.passAtK])
    expect(estimate?.low).toBeLessThan(estimate?.value ?? 0)
  expect(easy?.passAt1.low).toBeLessThan(1)
})

test('for groups of several sizes the chance is for as many answers as all have', () => {
  const [level] = passByLevel([group(1, 1, 0, 0, 0), group(1, 1, 0)])
  // Two of four answers hold the right one in half of all draws.
  expect([level?.samples, level?.passAtK.value]).toEqual([2, 0.75])
  expect(passByLevel([])).toEqual([])
})

test('the same is reported by the proposer of the tasks', () => {
  const by = (peerKey: string, ...correctness: number[]) => ({ task: { ref: { peerKey } }, correctness })
  const told = passByProposer([by('0xaa', 1, 0), by('0xbb', 1, 1), by('0xaa', 0, 0)])
  expect(told.map(({ proposer, tasks, passAt1 }) => [proposer, tasks, passAt1.value])).toEqual([
    ['0xaa', 2, 0.25],
    ['0xbb', 1, 1],
  ])
})

test('the same is reported by the family of the tasks, where they have one', () => {
  const of = (family: string | undefined, ...correctness: number[]) => ({ task: {}, family, correctness })
  const told = passByFamily([of('logic', 1, 0), of(undefined, 1, 1), of('add', 1, 1), of('logic', 0, 0)])
  expect(told.map(({ family, tasks, passAt1 }) => [family, tasks, passAt1.value])).toEqual([
    ['add', 1, 1],
    ['logic', 2, 0.25],
  ])
})

test('the same is reported by the peer that sampled the answers, own ones apart', () => {
  const of = (peerKey: string | undefined, ...correctness: number[]) => ({ task: {}, peerKey, correctness })
  const told = passByPeer([of(undefined, 1, 0), of('0xaa', 1, 1), of('0xaa', 0, 0)])
  expect(told.map(({ peer, tasks, passAt1 }) => [peer, tasks, passAt1.value])).toEqual([
    ['own', 1, 0.5],
    ['0xaa', 2, 0.5],
  ])
})
