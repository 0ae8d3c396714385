import { expect, test } from 'vitest'
import { simulateMessages } from './messages.ts'

test('what a peer hears in a round hardly grows with the swarm', async () => {
  const heard = async (peers: number) => simulateMessages({ seed: '1', peers, roundSec: 60 })
  expect((await heard(120)) / (await heard(40))).toBeLessThan(1.5)
})
