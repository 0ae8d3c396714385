import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { createSealedPayloads, publishSealed, sealPayload } from './publishPayload.ts'

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const about = (round: number) =>
  ({ kind: 'rollouts', round, root: hash('a'), count: 8, policyHash: hash('b') }) as const

/** A node that remembers what it announced, over a journal that outlives it. */
function scene(state = new Map<string, unknown>()) {
  const clock = createManualClock()
  const announced: { round: number; contentId: Hex }[] = []
  const journal = {
    getState: (key: string) => JSON.parse((state.get(key) as string) ?? 'null') ?? undefined,
    setState: (key: string, value: unknown) => void state.set(key, JSON.stringify(value)),
  }
  const sealed = createSealedPayloads(journal)
  const node = {
    ...{ clock, sealed, logger: silentLogger, signal: new AbortController().signal },
    bundles: { put: async () => hash('0') },
    network: {
      publish: async ({ round, contentId }: { round: number; contentId: Hex }) => {
        expect(sealed.has(contentId)).toBe(false) // whoever asks at once is served
        announced.push({ round, contentId })
      },
    },
  }
  const begin = (round: number, secondsLeft: number) => ({
    time: { round, startsAtSec: 0, endsAtSec: 1000 + secondsLeft, nowSec: 1000, block: 1 },
    atMs: clock.nowMs(),
  })
  return { node, clock, announced, state, begin, sealed }
}

test('a payload is served and announced once its round has ended, and not before', async () => {
  const { node, clock, announced, begin, sealed } = scene()
  const contentId = await sealPayload(node, Uint8Array.of(1), about(5), begin(5, 20))
  expect(sealed.has(contentId)).toBe(true)
  clock.advance(19_999)
  expect(announced).toEqual([])
  clock.advance(1)
  await publishSealed(node, 5) // nothing: lets the timer's work end
  await Promise.resolve()
  expect(announced).toEqual([{ round: 5, contentId }])
  expect(sealed.has(contentId)).toBe(false)
})

test('a payload that was sealed before a restart stays sealed, and is published by the next round', async () => {
  const first = scene()
  const contentId = await sealPayload(first.node, Uint8Array.of(1), about(5), first.begin(5, 20))
  const second = scene(first.state)
  expect(second.sealed.has(contentId)).toBe(true)
  second.sealed.add({ ...about(5), contentId, size: 1 }) // the round is taken up again
  await publishSealed(second.node, 5)
  expect(second.announced).toEqual([])
  await publishSealed(second.node, 6)
  await publishSealed(second.node, 6)
  expect(second.announced).toEqual([{ round: 5, contentId }])
})

test('a peer that ends before it has announced a payload announces it after its restart', async () => {
  const first = scene()
  const contentId = await sealPayload(first.node, Uint8Array.of(1), about(5), first.begin(5, 20))
  first.node.network.publish = () => Promise.reject(new Error('the process ends'))
  await expect(publishSealed(first.node, 6)).rejects.toThrow('the process ends')
  const second = scene(first.state)
  await publishSealed(second.node, 6)
  expect(second.announced).toEqual([{ round: 5, contentId }])
})

test('a manual round ends when the next one begins', async () => {
  const { node, clock, announced, begin } = scene()
  await sealPayload(node, Uint8Array.of(1), about(5), begin(5, 2 ** 39))
  expect(clock.sleepers()).toBe(0)
  await publishSealed(node, 6)
  expect(announced).toHaveLength(1)
})

test('a list that cannot be read seals nothing', () => {
  const { sealed } = scene(new Map([['sealed bodies', '[{"kind":"scores"}]']]))
  expect(sealed.open(100)).toEqual([])
})
