import { expect, test } from 'vitest'
import { createDialRecord } from './connecting.ts'
import { connectivityOf } from './connectivity.ts'

const none = { failed: 0, hungUp: 0, lastFailure: null }
const alone = (situation: Partial<Parameters<typeof connectivityOf>[0]>) =>
  connectivityOf({ peers: 0, bootnodes: 1, known: 1, dials: none, isBootnode: false, ...situation }).alone?.reason

test('a peer without connections says why', () => {
  expect(connectivityOf({ peers: 3, bootnodes: 0, known: 0, dials: none, isBootnode: false })).toEqual({
    peers: 3,
    alone: null,
  })
  expect(alone({ bootnodes: 0, known: 0 })).toBe('nobody known')
  expect(alone({})).toBe('connecting')
  expect(alone({ dials: { ...none, failed: 2, lastFailure: 'x: ECONNREFUSED' } })).toBe('nobody reached')
  expect(alone({ dials: { failed: 1, hungUp: 2, lastFailure: 'x' } })).toBe('hung up on')
})

test('the first bootnode of a swarm is not told to ask for a bootnode', () => {
  const first = { peers: 0, bootnodes: 0, known: 0, dials: none }
  expect(connectivityOf({ ...first, isBootnode: false }).alone?.advice).toContain('--bootnode')
  expect(connectivityOf({ ...first, isBootnode: true }).alone?.advice).toMatch(/^Peers dial it once the chain lists it/)
})

test('dials that failed are forgotten once a connection has lasted', () => {
  let nowMs = 0
  let peers = 0
  const record = createDialRecord({ nowMs: () => nowMs, peers: () => peers })
  record.failed('/ip4/127.0.0.1/tcp/1', new Error('The time is up.'))
  expect(record.outcomes().lastFailure, 'words that a sentence goes on after').toMatch(/: The time is up$/)
  record.failed('/ip4/127.0.0.1/tcp/1', new Error('connect ECONNREFUSED'))
  record.opened('a')
  nowMs += 1_000
  record.closed('a')
  expect(record.outcomes()).toEqual({
    failed: 2,
    hungUp: 1,
    lastFailure: '/ip4/127.0.0.1/tcp/1: connect ECONNREFUSED',
  })
  record.opened('b')
  peers = 1
  nowMs += 10_000
  expect(record.outcomes()).toEqual(none)
})
