import { expect, test } from 'vitest'
import { simulateMessages } from './messages.ts'

test('messages that a peer receives in a round hardly grow with the swarm', async () => {
  const heard = async (peers: number) => simulateMessages({ seed: '1', peers, roundSec: 60 })
  expect((await heard(120)) / (await heard(40))).toBeLessThan(1.5)
})
