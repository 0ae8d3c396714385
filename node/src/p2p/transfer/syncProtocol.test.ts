import { expect, test } from 'vitest'
import { CanonicalError } from '#core/canonical.ts'
import { encodeSigned, type SignedMessage } from '../gossip/signedMessage.ts'
import { afterAnswer, decodeSyncRequest, encodeSyncRequest, missingFrom, partFrom, placeOf } from './syncProtocol.ts'

const message = (from: string, sequence: number): SignedMessage => {
  const none = new Uint8Array(0)
  const eight = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, sequence])
  return encodeSigned({ from, sequence: eight, topic: 't', data: none, signature: none, key: none })
}

const ids = (messages: readonly SignedMessage[]) => messages.map(({ id }) => Buffer.from(id).toString('hex')).sort()

test('messages that the requester has are left out, an older one of the same author is not', () => {
  const held = [message('a', 1), message('b', 1)]
  const all = [message('a', 2), message('b', 1), message('c', 1)]
  expect(missingFrom(partFrom(0, held), all)).toEqual([message('a', 2), message('c', 1)])
  expect(missingFrom(partFrom(0, []), all)).toEqual(all)
})

test('a peer with no messages, and one that lacks a few of 12,000, gets each message once', () => {
  const all = Array.from({ length: 12_000 }, (_, index) => message(`peer ${index}`, 1))
  for (const before of [[], all.slice(3)]) {
    const held = [...before]
    let first = 0
    for (let answers = 0; answers < 5; answers += 1) {
      const part = partFrom(first, held)
      const got = missingFrom(part, all)
      held.push(...got)
      first = afterAnswer(part, got.length, Math.max(...got.map(placeOf)))
    }
    expect(ids(held)).toEqual(ids(all))
  }
})

test('a list of one prefix over and over is read once, and hides no other message of its place', () => {
  const [one, other] = [message('a', 1), message('b', 1)]
  const have = new Uint8Array(8192 * 8).map((_, at) => (at % 8 < 6 ? one.id[at % 8] : 0) as number)
  const part = { first: 0, last: 2 ** 48 - 1, have }
  expect(missingFrom(part, [one, other])).toEqual([one, other])
})

test('a request survives the wire, and a torn list of prefixes does not', () => {
  const request = { v: 1 as const, from: 3, to: 9, first: 5, last: 2 ** 48 - 1, have: new Uint8Array(16) }
  expect(decodeSyncRequest(encodeSyncRequest(request))).toEqual(request)
  for (const odd of [{ have: new Uint8Array(15) }, { first: -1 }, { last: 2 ** 48 }]) {
    expect(() => decodeSyncRequest(encodeSyncRequest({ ...request, ...odd }))).toThrow(CanonicalError)
  }
})
