import { expect, test } from 'vitest'
import { falseAlarms, honestPoints, playHonest, playHostile } from './rows.ts'

test('a swarm is a function of its seed: two runs are the same, event by event', async () => {
  const small = { peers: 8, rounds: 1 }
  const [first, again] = [await playHonest('1', small), await playHonest('1', small)]
  expect(again.trace).toBe(first.trace)
  expect(falseAlarms(first)).toBe(0)
})

test('a fifth of hostile peers, crashes, lying endpoints, a partition and reorganisations cost honest peers nothing', async () => {
  const rounds = 2
  const swarm = await playHostile('1', { peers: 24, rounds })
  expect(swarm.failures).toEqual([])
  expect(swarm.reorganised).toBeGreaterThan(0)
  expect(swarm.hostile.size).toBeGreaterThan(2)
  const honest = swarm.solvers.filter(peerKey => !swarm.hostile.has(peerKey)).length
  expect(honestPoints(swarm, swarm.hostile, rounds)).toBe(1000 * honest * rounds)
  // Sampling's luck may bring one that is wrong four times in five half of the points.
  expect(swarm.settled.filter(one => swarm.hostile.has(one.peerKey) && one.scoreMilli > 500)).toEqual([])
})
