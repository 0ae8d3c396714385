import { type Message, TopicValidatorResult } from '@chainsafe/libp2p-gossipsub'
import type { PeerId } from '@libp2p/interface'
import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createPeerGuard } from '../connections/peerGuard.ts'
import type { Host } from '../host.ts'
import { admitAll } from '../membership/admission.ts'
import { joinTopics } from './gossipTopics.ts'
import { createMessageGate } from './messageGate.ts'
import { encodeSigned } from './signedMessage.ts'

type Validate = (source: PeerId, message: Message) => Promise<TopicValidatorResult>

/** The validator of topic `t` at a host whose queue moves when `go` is called, and who believes every signature. */
function scene() {
  const gate = Promise.withResolvers<void>()
  const validators = new Map<string, Validate>()
  const taken: Uint8Array[] = []
  const host = {
    gossip: { topicValidators: validators, subscribe: () => {}, getScore: () => 0 },
    guard: createPeerGuard(systemClock, silentLogger),
    messageQueue: { enter: () => gate.promise },
    verify: async () => true,
  } as unknown as Host
  joinTopics(host, {
    topics: ['t'],
    subscribes: true,
    gate: createMessageGate(host, { admission: admitAll, sourceOf: sender => sender, clock: systemClock }),
    rules: {
      check: () => ({ verdict: 'accept', value: null }),
      take(message) {
        taken.push(message.data)
        return { verdict: 'accept', value: null }
      },
    },
    logger: silentLogger,
  })
  const validate = (sender: string, data: Uint8Array): Promise<TopicValidatorResult> =>
    validators.get('t')?.(sender as unknown as PeerId, { type: 'unsigned', topic: 't', data }) ?? Promise.reject()
  return { validate, go: () => gate.resolve(), taken }
}

function signedBy(from: string, data: Uint8Array): Uint8Array {
  const none = new Uint8Array(0)
  return encodeSigned({ from, sequence: new Uint8Array(8), topic: 't', data, signature: none, key: none }).bytes
}

test('in a flood, a limited number of messages of a peer wait, the others are ignored, and other peers are heard', async () => {
  const { validate, go, taken } = scene()
  const flood = Array.from({ length: 600 }, (_, index) =>
    validate('a', signedBy('b', Uint8Array.of(index >> 8, index))),
  )
  const ignored = await Promise.all(flood.slice(512))
  expect(new Set(ignored)).toEqual(new Set([TopicValidatorResult.Ignore]))
  const other = validate('c', signedBy('b', Uint8Array.of(1)))
  go()
  expect(await other).toBe(TopicValidatorResult.Accept)
  expect(new Set(await Promise.all(flood.slice(0, 512)))).toEqual(new Set([TopicValidatorResult.Accept]))
  expect(taken.length).toBe(513)
  expect(await validate('a', signedBy('b', Uint8Array.of(2)))).toBe(TopicValidatorResult.Accept)
})

test('anything larger than a signed message is rejected immediately', async () => {
  const { validate } = scene()
  expect(await validate('a', new Uint8Array(1 << 16))).toBe(TopicValidatorResult.Reject)
})
