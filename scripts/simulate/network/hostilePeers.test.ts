import { expect, test } from 'vitest'
import { hostileKindOf, hostileKinds } from './hostilePeers.ts'
import { honestPoints, WHOLE } from './rows.ts'
import { simulateSwarm } from './simulateSwarm.ts'

test('a fifth of 15 seats and 85 solvers is hostile, and every kind plays in the seeds of the row', () => {
  const seeds = Array.from({ length: WHOLE.seeds }, (_, seed) => String(seed))
  for (const [role, first, end, hostile] of [
    ['evaluator', 0, 15, 3],
    ['solver', 15, 100, 17],
  ] as const) {
    const ofSeed = seeds.map(seed =>
      Array.from({ length: end - first }, (_, at) => hostileKindOf(seed, first + at, role)).filter(
        kind => kind !== null,
      ),
    )
    expect(new Set(ofSeed.map(kinds => kinds.length))).toEqual(new Set([hostile]))
    expect(new Set(ofSeed.flat())).toEqual(new Set(Object.keys(hostileKinds[role])))
  }
})

test('the chain refuses accusations of what is true or not committed, settlement in another shard, and votes that were not sealed', async () => {
  const kinds = ['groundless accusations', 'settlement in the wrong shard', 'other votes opened'] as const
  const swarm = await simulateSwarm({
    ...{ seed: '1', peers: 8, rounds: 1 },
    conduct: (number, member, medium) => hostileKinds.evaluator[kinds[number] ?? '']?.(medium, member) ?? null,
  })
  expect(swarm.failures).toEqual([])
  expect(swarm.challenged.length).toBeGreaterThan(0)
  expect(swarm.challenged.filter(({ isFalse }) => isFalse)).toEqual([])
  expect(honestPoints(swarm, swarm.hostile, 1)).toBe(3 * 1000)
})

test('a solver that claims certainty of every token gets no points by the sampling proof, and takes none of others', async () => {
  const [seats, solvers, rounds] = [5, 4, 1]
  const swarm = await simulateSwarm({
    ...{ seed: '1', peers: seats + solvers, rounds },
    conduct: (number, member, medium) =>
      number === seats ? (hostileKinds.solver['claims of certainty']?.(medium, member) ?? null) : null,
  })
  expect(swarm.failures).toEqual([])
  expect(swarm.hostile.size).toBe(1)
  const points = swarm.settled.filter(one => swarm.hostile.has(one.peerKey)).map(({ scoreMilli }) => scoreMilli)
  expect(points).toEqual(Array(points.length).fill(0))
  expect(points.length).toBeGreaterThan(0)
  expect(honestPoints(swarm, swarm.hostile, rounds)).toBe(1000 * (swarm.solvers.length - 1) * rounds)
})
