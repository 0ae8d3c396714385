import { expect, test } from 'vitest'
import type { TrainingStep } from '#sources/getTraining.ts'
import { formatFigure, takenGroups, trainingFacts, trainingFigures } from './trainingFigures.ts'

const own: TrainingStep = {
  ...{
    round: 4,
    ownGroups: 8,
    groups: 8,
    peer: null,
    reward: 0.5,
    passAt1: 0.4,
    validShare: null,
    loss: 0.2,
    kl: null,
    entropy: 1.5,
    tokens: 900,
    seconds: 3,
    failure: null,
  },
}
const others: TrainingStep = { ...own, ownGroups: 0, loss: 9, kl: 0.01, entropy: null, reward: 0.9 }

test('curves have a mean a round, of steps that learned, and only what was measured', () => {
  const steps = [
    own,
    others,
    { ...others, kl: 0.03 },
    { ...own, round: 5, reward: 0.7 },
    { ...own, failure: 'NaN', loss: 7 },
  ]
  const points = Object.fromEntries(
    trainingFigures({ role: 'solver', steps }).map(series => [series.name, series.points]),
  )
  expect(points).toEqual({
    Reward: [
      { round: 4, value: 0.5 },
      { round: 5, value: 0.7 },
    ],
    'pass@1': [
      { round: 4, value: 0.4 },
      { round: 5, value: 0.4 },
    ],
    Loss: [
      { round: 4, value: 0.2 },
      { round: 5, value: 0.2 },
    ],
    KL: [{ round: 4, value: 0.02 }],
    Entropy: [
      { round: 4, value: 1.5 },
      { round: 5, value: 1.5 },
    ],
  })
  expect(trainingFigures({ role: 'solver', steps: [{ ...own, entropy: null }] }).map(({ name }) => name)).toEqual([
    'Reward',
    'pass@1',
    'Loss',
  ])
})

test('a proposer that learns has curves of what its tasks were worth', () => {
  const step = { ...own, reward: 0.6, passAt1: 0.3, validShare: 0.75, kl: 0.001 }
  const curves = trainingFigures({ role: 'proposer', steps: [step, { ...step, round: 5, failure: 'NaN' }] })
  expect(curves.map(({ name, points }) => [name, points.map(({ value }) => value)])).toEqual([
    ['Learnability', [0.6]],
    ['Solved', [0.3]],
    ['Valid', [0.75]],
    ['Loss', [0.2]],
    ['KL', [0.001]],
    ['Entropy', [1.5]],
  ])
})

test('groups that were taken are reported by their peer, once a round, most first, without failed updates', () => {
  const from = (peer: string, groups: number, round = 4) => ({ ...others, peer, groups, round })
  const steps = [own, from('a', 2), from('a', 2), from('b', 5), from('a', 4, 5), { ...from('b', 9), failure: 'NaN' }]
  expect(takenGroups(steps)).toEqual([
    { peerKey: 'a', groups: 6 },
    { peerKey: 'b', groups: 5 },
  ])
})

test('the run is described in words, and whether it still runs', () => {
  const training = {
    ...{ role: 'solver' as const, model: null, trained: 'adapter' as const, device: 'cuda' },
    startedAtMs: 0,
    aliveAtMs: 97_000_000,
  }
  const facts = (nowMs: number) =>
    trainingFacts({ ...training, steps: [own, { ...own, failure: 'NaN' }] }, nowMs).map(({ value }) => value)
  expect(facts(97_030_000)).toEqual([
    'starter model, LoRA adapter',
    'cuda',
    '1 d 2 h',
    '2, 1 failed',
    '1,800, 300 a second',
  ])
  expect(facts(97_100_000)[2]).toBe('not running')
})

test.each([
  [0.0123456, '0.0123'],
  [-1.5, '-1.5'],
  [-0.0000123, '-1.2e-5'],
  [0, '0'],
  [12_345.6, '12,346'],
])('%d is told as %s', (value, text) => expect(formatFigure(value)).toBe(text))
