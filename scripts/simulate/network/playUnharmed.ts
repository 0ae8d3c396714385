import { expect } from 'vitest'
import { mean } from '../../../node/model/src/base/mean.ts'
import { honestPoints, playHostile } from './rows.ts'

/** Plays a round of a swarm, a fifth of which is hostile, solvers and seats, and tests that honest peers lose nothing by it. */
export async function playUnharmed(seed: string, peers: number): Promise<void> {
  const rounds = 1
  const swarm = await playHostile(seed, { peers, rounds })
  expect(swarm.failures).toEqual([])
  expect(swarm.reorganised).toBeGreaterThan(0)
  expect(swarm.hostile.size).toBe(Math.ceil(peers / 5))
  const honest = swarm.solvers.filter(peerKey => !swarm.hostile.has(peerKey)).length
  expect(honestPoints(swarm, swarm.hostile, rounds)).toBe(1000 * honest * rounds)
  // Sampling's luck brings one that is wrong four times in five half of the points now and then.
  const ofHostile = swarm.settled.filter(one => swarm.hostile.has(one.peerKey) && one.round === rounds)
  expect(mean(ofHostile.map(({ scoreMilli }) => scoreMilli))).toBeLessThan(250)
}
