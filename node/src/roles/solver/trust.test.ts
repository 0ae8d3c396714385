import { expect, test } from 'vitest'
import type { Journal } from '#store/journal.ts'
import { createTrust } from './trust.ts'

test('no trust is gained where the own answers earned nothing, nor by a reward that is not a number', () => {
  const state = new Map<string, unknown>()
  const journal = {
    getState: (key: string) => state.get(key),
    setState: (key: string, value: unknown) => void state.set(key, value),
  } as unknown as Journal
  const trust = createTrust({ journal })
  for (const [theirs, own] of [
    [0, 0],
    [1, 0],
    [Number.NaN, 0.5],
  ] as const)
    trust.note('0x01', theirs, own)
  expect(trust.of('0x01')).toBe(0.5)
  trust.note('0x01', 0.25, 0.5)
  expect(trust.of('0x01')).toBe(0.5)
  trust.note('0x01', 1, 0.5)
  expect(trust.of('0x01')).toBe(0.625)
})
