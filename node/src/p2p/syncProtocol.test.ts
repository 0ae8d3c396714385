import { expect, test } from 'vitest'
import { CanonicalError } from '#core/canonical.ts'
import { encodeSigned, type SignedMessage } from './signedMessage.ts'
import { decodeSyncRequest, encodeSyncRequest, missingFrom, packPrefixes } from './syncProtocol.ts'

const message = (from: string, sequence: number): SignedMessage => {
  const none = new Uint8Array(0)
  const eight = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, sequence])
  return encodeSigned({ from, sequence: eight, topic: 't', data: none, signature: none, key: none })
}

test('what the asker has is left out, an older message of the same author is not', () => {
  const held = [message('a', 1), message('b', 1)]
  const all = [message('a', 2), message('b', 1), message('c', 1)]
  expect(missingFrom(packPrefixes(held), all)).toEqual([message('a', 2), message('c', 1)])
  expect(missingFrom(new Uint8Array(0), all)).toEqual(all)
})

test('a request survives the wire, and a torn list of prefixes does not', () => {
  const request = { v: 1 as const, from: 3, to: 9, have: new Uint8Array(16) }
  expect(decodeSyncRequest(encodeSyncRequest(request))).toEqual(request)
  expect(() => decodeSyncRequest(encodeSyncRequest({ ...request, have: new Uint8Array(15) }))).toThrow(CanonicalError)
})
