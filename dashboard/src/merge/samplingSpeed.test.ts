import { expect, test } from 'vitest'
import { samplingSpeed } from './samplingSpeed.ts'

const solvers = [
  { peerKey: '0xaa', tokens: 4_000 },
  { peerKey: '0xbb', tokens: 500 },
]
const sampled = { round: 9, seconds: 20, solvers }

test('the speed of the swarm is what all of its solvers committed over the length of the round', () => {
  expect(samplingSpeed(sampled)).toEqual({
    speed: '225',
    note: '4,500 completion tokens committed in round 9 by 2 solvers, over its 20 s',
  })
})

test('the speed of a peer counts its own tokens, and a peer that committed none has no speed', () => {
  expect(samplingSpeed(sampled, '0xbb')).toEqual({
    speed: '25',
    note: '500 completion tokens committed in round 9, over its 20 s',
  })
  expect(samplingSpeed(sampled, '0xcc')).toBe(null)
})
