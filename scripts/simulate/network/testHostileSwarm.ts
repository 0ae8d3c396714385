import { expect, test } from 'vitest'
import { mean } from '../../../node/model/src/base/mean.ts'
import { honestPoints, playHostile } from './rows.ts'

/** One seed takes 25 s of a core: `npm test` plays one, and the long mode others. */
export function testHostileSwarm(seed: string): void {
  test(`a fifth of 100 peers that are hostile, seats among them, crashes, lying endpoints, full disks, a partition and reorganisations cost honest peers nothing, seed ${seed}`, async () => {
    const [peers, rounds] = [100, 1]
    const swarm = await playHostile(seed, { peers, rounds })
    expect(swarm.failures).toEqual([])
    expect(swarm.reorganised).toBeGreaterThan(0)
    expect(swarm.hostile.size).toBe(peers / 5)
    const honest = swarm.solvers.filter(peerKey => !swarm.hostile.has(peerKey)).length
    expect(honestPoints(swarm, swarm.hostile, rounds)).toBe(1000 * honest * rounds)
    // Sampling's luck brings one that is wrong four times in five half of the points now and then.
    const ofHostile = swarm.settled.filter(one => swarm.hostile.has(one.peerKey) && one.round === rounds)
    expect(mean(ofHostile.map(({ scoreMilli }) => scoreMilli))).toBeLessThan(250)
  })
}
