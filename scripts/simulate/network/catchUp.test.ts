import { expect, test } from 'vitest'
import { simulateCatchUp } from './catchUp.ts'

test('peers that catch up at once after an outage know all others within seconds, and accuse nobody', async () => {
  const found = await simulateCatchUp({ seed: '1', peers: 30, withinSec: 30 })
  expect(found.allSec).toBeLessThanOrEqual(5)
  expect(found).toMatchObject({ refused: 0, accused: 0 })
})
