import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { packTokens } from '#core/payloads/packedTokens.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import type { PeerNode } from '../peerNode.ts'
import { measureCanary } from './measureCanary.ts'

const environment = {
  spec: { canary: { tasks: 1 } },
  format: {
    tokenBytes: 2,
    vocabSize: 128,
    completionText: async (tokens: Int32Array) => String.fromCharCode(...tokens),
  },
  heldOutTasks: async () => [{ problem: {}, check: (text: string, ended: boolean) => ended && text === '7' }],
  solvedShare: (score: number) => score,
}
const node = { environment, clock: systemClock } as unknown as PeerNode
const peerId = '12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN'

test('a sample that the token limit cut off is checked as such', async () => {
  const samples = [true, false].map((ended, sample) => ({
    ...{ task: 0, sample, ended, scoreMilli: ended ? 1000 : 0, passed: null },
    completionTokens: packTokens(Int32Array.of(55), 2),
  }))
  const bundle = { round: 10, level: 1, samples } as unknown as CanaryBundle
  const point = await measureCanary(node, peerId, bundle)
  expect(point).toMatchObject({ passAt1: 0.5, judge: { falseNegatives: 0, trueNegatives: 1, calibrationError: 0 } })
  expect(point.judge?.bins).toHaveLength(10)
  expect(point.judge?.bins?.at(-1)).toEqual({ predicted: 1, right: 1 })
})
