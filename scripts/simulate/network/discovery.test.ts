import { expect, test } from 'vitest'
import { simulateDiscovery } from './discovery.ts'

const swarm = { seed: '1', peers: 40, sybilShare: 0.3 }

test('peers that start at once reach all authors within a round, whatever a third of strangers do, and not within a second', async () => {
  const found = await simulateDiscovery({ ...swarm, roundSec: 60 })
  expect(found).toMatchObject({ honest: 40, reaching: 40, missed: 0 })
  expect(found.afterSec).toBeLessThan(5)
  const early = await simulateDiscovery({ ...swarm, roundSec: 1 })
  expect(early.reaching).toBeLessThan(20)
})
