import { expect, test } from 'vitest'
import type { Journal } from '#store/journal.ts'
import { createTrust, TRUSTED_PEERS } from './trust.ts'

function openTrust(state = new Map<string, unknown>()) {
  const journal = {
    getState: (key: string) => state.get(key),
    setState: (key: string, value: unknown) => void state.set(key, value),
  } as unknown as Journal
  return createTrust({ journal })
}

test('the peers last scored are remembered, and no more than the limit', () => {
  const trust = openTrust()
  const peerAt = (index: number) => `0x${index.toString(16).padStart(64, '0')}` as const
  trust.note(peerAt(0), 1, 1, 0.5)
  trust.note(peerAt(1), 1, 1, 0.5)
  trust.note(peerAt(0), 2, 1, 0.5)
  for (let index = 2; index <= TRUSTED_PEERS; index++) trust.note(peerAt(index), 2, 1, 0.5)
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
    trust.note('0x01', 1, theirs, own)
  expect(trust.of('0x01')).toBe(0.5)
  trust.note('0x01', 2, 0.25, 0.5)
  expect(trust.of('0x01')).toBe(0.5)
  trust.note('0x01', 3, 1, 0.5)
  expect(trust.of('0x01')).toBe(0.625)
})

test('a round that is learned again after a stop counts once', () => {
  const state = new Map<string, unknown>([['trust', { '0x02': 0.75 }]]) // as release 0.15 kept it
  for (let start = 0; start < 3; start++) openTrust(state).note('0x01', 7, 0, 0.5)
  const trust = openTrust(state)
  expect([trust.of('0x01'), trust.of('0x02')]).toEqual([0.375, 0.75])
  trust.note('0x01', 8, 0, 0.5)
  trust.note('0x02', 8, 1, 0.5)
  expect([trust.of('0x01'), trust.of('0x02')]).toEqual([0.28125, 0.8125])
})
