import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { admitAll } from '../membership/admission.ts'
import { createPeerBook } from '../membership/peerBook.ts'
import { encodeAddresses } from './addressAnnouncement.ts'
import { startAddressGossip } from './addressGossip.ts'
import { createMessageGate } from './messageGate.ts'
import { encodeSigned, type SignedMessage } from './signedMessage.ts'
import { testSwarm } from './testAnnouncement.ts'
import { topicOf } from './topics.ts'

const DAY_MS = 24 * 3_600_000
const START_MS = 20_000 * DAY_MS

/** Signed `day` days after the start. */
function said(day: number, port: number, from = 'author'): SignedMessage {
  const multiaddrs = [`/ip4/192.0.2.1/tcp/${port}/p2p/${from}`]
  const sequence = Buffer.alloc(8)
  sequence.writeBigUInt64BE(BigInt(Math.round(START_MS + day * DAY_MS)) * 1_000_000n + 1n)
  const data = encodeAddresses({ v: 1, kind: 'addresses', chainId: testSwarm.chainId, peerId: from, multiaddrs })
  const none = new Uint8Array(0)
  const topic = topicOf(testSwarm, 'addresses')
  return encodeSigned({ from, sequence: Uint8Array.from(sequence), topic, data, signature: none, key: none })
}

function scene(clock = createManualClock(START_MS)) {
  const host = {
    ...{ peerId: 'self', addresses: () => [], gossip: new EventTarget(), node: new EventTarget() },
  } as unknown as Host
  Object.assign(host.gossip, { topicValidators: new Map(), subscribe() {} })
  const gate = createMessageGate(host, { admission: admitAll, sourceOf: sender => sender, clock })
  const book = createPeerBook({ bootnodes: [], sourceOf: peerId => peerId, isRegistered: () => true, clock })
  const learnt: string[] = []
  const gossip = startAddressGossip(host, {
    swarm: testSwarm,
    gate,
    learn(peerId, addresses, heardAtMs) {
      learnt.push(addresses.join())
      return book.learn(peerId, addresses, heardAtMs)
    },
    isNear: () => false,
    clock,
    logger: silentLogger,
  })
  const takeAt = (day: number, message: SignedMessage) => {
    clock.advance(Math.max(0, START_MS + day * DAY_MS - clock.nowMs()))
    return gossip.rules.take(message).verdict
  }
  return { clock, gossip, learnt, book, takeAt }
}

test('addresses are forwarded where they changed, and three times in 14 days where they did not', () => {
  const { gossip, learnt, takeAt } = scene()
  const days = [
    [0, 1],
    [1, 1],
    [2, 2],
    [6, 2],
    [7, 2],
    [5, 3],
  ] as const
  const verdicts = days.map(([day, port]) => takeAt(day, said(day, port)))
  expect(verdicts).toEqual(['accept', 'ignore', 'accept', 'ignore', 'accept', 'ignore'])
  expect(gossip.signed().map(({ id }) => id)).toEqual([said(7, 2).id])
  expect(learnt.length).toBe(3)
  gossip.stop()
})

test('addresses signed more than 14 days ago, or by a clock that is ahead, are not taken, and whoever forwards them is not blamed', () => {
  const { clock, gossip, takeAt } = scene()
  clock.advance(20 * DAY_MS)
  expect(gossip.rules.check(said(5.9, 1))).toMatchObject({ verdict: 'ignore', misdated: true })
  expect(gossip.rules.check(said(20.01, 1))).toMatchObject({ verdict: 'ignore', misdated: true })
  // A year ahead: its true addresses would not be newer until then.
  expect(takeAt(20, said(385, 1))).toBe('ignore')
  expect(takeAt(20, said(20, 2))).toBe('accept')
  expect(takeAt(20, said(20.005, 3))).toBe('accept')
  gossip.stop()
})

test('a peer that left is in no book after 14 days, though those that come later catch up on it; one that stays is in all', () => {
  const clock = createManualClock(START_MS)
  const peers = [scene(clock), scene(clock), scene(clock)] as const
  const heldOf = (from: string) =>
    peers.map(({ gossip, book }) => [gossip.signed().some(one => one.from === from), book.get(from) !== undefined])
  peers[0].gossip.rules.take(said(0, 1, 'gone'))
  for (let hour = 1; hour <= 24 * 15; hour++) {
    clock.advance(3_600_000)
    // The first is a neighbour of the author; each of the others catches up with the one before it.
    peers[0].gossip.rules.take(said(hour / 24, 2, 'stays'))
    for (const [at, peer] of peers.entries())
      for (const message of peers[(at + 2) % 3]?.gossip.signed() ?? []) peer.gossip.rules.take(message)
    for (const { book } of peers) book.flush()
    expect(heldOf('stays')).toEqual(Array(3).fill([true, true]))
    expect(heldOf('gone')).toEqual(Array(3).fill(Array(2).fill(hour <= 24 * 14)))
  }
  for (const { gossip } of peers) gossip.stop()
})

test('in a swarm of more peers than are forwarded, nobody pays for telling of one more, until those that left are forgotten', () => {
  const { gossip, takeAt } = scene()
  for (let peer = 0; peer < 16_384; peer++) gossip.rules.take(said(0, 1, `peer${peer}`))
  expect(gossip.rules.check(said(0, 1, 'one more'))).toMatchObject({ verdict: 'ignore', ours: true })
  expect(takeAt(1, said(1, 2, 'peer7'))).toBe('accept')
  expect(takeAt(14.1, said(14.1, 1, 'one more'))).toBe('accept')
  expect(gossip.signed().map(({ from }) => from)).toEqual(['peer7', 'one more'])
  gossip.stop()
})
