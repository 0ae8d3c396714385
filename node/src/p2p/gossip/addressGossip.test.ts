import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import { admitAll } from '../membership/admission.ts'
import { encodeAddresses } from './addressAnnouncement.ts'
import { startAddressGossip } from './addressGossip.ts'
import { createMessageGate } from './messageGate.ts'
import { encodeSigned, type SignedMessage } from './signedMessage.ts'
import { testSwarm } from './testAnnouncement.ts'
import { topicOf } from './topics.ts'

const DAY_NS = 24n * 3_600_000_000_000n

function said(day: number, port: number, from = 'author'): SignedMessage {
  const multiaddrs = [`/ip4/192.0.2.1/tcp/${port}/p2p/${from}`]
  const sequence = Buffer.alloc(8)
  sequence.writeBigUInt64BE(BigInt(day) * DAY_NS + 1n)
  const data = encodeAddresses({ v: 1, kind: 'addresses', chainId: testSwarm.chainId, peerId: from, multiaddrs })
  const none = new Uint8Array(0)
  const topic = topicOf(testSwarm, 'addresses')
  return encodeSigned({ from, sequence: Uint8Array.from(sequence), topic, data, signature: none, key: none })
}

function scene() {
  const clock = createManualClock()
  const host = {
    ...{ peerId: 'self', addresses: () => [], gossip: new EventTarget(), node: new EventTarget() },
  } as unknown as Host
  Object.assign(host.gossip, { topicValidators: new Map(), subscribe() {} })
  const gate = createMessageGate(host, { admission: admitAll, sourceOf: sender => sender, clock })
  const learnt: string[] = []
  const learn = (_: string, addresses: readonly string[]) => learnt.push(addresses.join()) > 0
  const gossip = startAddressGossip(host, {
    swarm: testSwarm,
    gate,
    learn,
    isNear: () => false,
    clock,
    logger: silentLogger,
  })
  return { gossip, learnt }
}

test('addresses are forwarded where they changed, and three times in 14 days where they did not', () => {
  const { gossip, learnt } = scene()
  const verdicts = [said(0, 1), said(1, 1), said(2, 2), said(6, 2), said(7, 2), said(5, 3)].map(
    message => gossip.rules.take(message).verdict,
  )
  expect(verdicts).toEqual(['accept', 'ignore', 'accept', 'ignore', 'accept', 'ignore'])
  expect(gossip.signed().map(({ id }) => id)).toEqual([said(7, 2).id])
  expect(learnt.length).toBe(3)
  gossip.stop()
})

test('in a swarm of more peers than are forwarded, nobody pays for telling of one more', () => {
  const { gossip } = scene()
  for (let peer = 0; peer < 16_384; peer++) gossip.rules.take(said(0, 1, `peer${peer}`))
  expect(gossip.rules.check(said(0, 1, 'one more'))).toMatchObject({ verdict: 'ignore', ours: true })
  expect(gossip.rules.check(said(1, 2, 'peer7')).verdict).toBe('accept')
  gossip.stop()
})
