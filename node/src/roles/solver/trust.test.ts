import { expect, test } from 'vitest'
import type { Journal } from '#store/journal.ts'
import { createTrust, TRUSTED_PEERS } from './trust.ts'

function openTrust() {
  const state = new Map<string, unknown>()
  const journal = {
    getState: (key: string) => state.get(key),
    setState: (key: string, value: unknown) => void state.set(key, value),
  } as unknown as Journal
  return createTrust({ journal })
}

test('the peers last scored are remembered, and no more than the limit', () => {
  const trust = openTrust()
  const peerAt = (index: number) => `0x${index.toString(16).padStart(64, '0')}` as const
  trust.note(peerAt(0), 1, 0.5)
  trust.note(peerAt(1), 1, 0.5)
  trust.note(peerAt(0), 1, 0.5)
  for (let index = 2; index <= TRUSTED_PEERS; index++) trust.note(peerAt(index), 1, 0.5)
  expect(trust.of(peerAt(0))).toBe(0.71875)
  expect(trust.of(peerAt(1))).toBe(0.5)
})

test('no trust is gained where the own answers earned nothing, nor by a reward that is not a number', () => {
  const trust = openTrust()
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
