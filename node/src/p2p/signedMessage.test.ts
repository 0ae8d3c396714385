import type { Message } from '@chainsafe/libp2p-gossipsub'
import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { expect, test } from 'vitest'
import { decodeSigned, encodeSigned, fromGossip, isSignedByAuthor, type SignedMessage } from './signedMessage.ts'
import { startTestHost } from './testHosts.ts'

/** What a host with such a key signs when it publishes. */
async function publishOnce(privateKey: Uint8Array): Promise<SignedMessage> {
  const host = await startTestHost({ privateKey, topics: ['t'] })
  host.gossip.subscribe('t')
  const message = new Promise<Message>(resolve =>
    host.gossip.addEventListener('message', event => resolve(event.detail), { once: true }),
  )
  await host.gossip.publish('t', Uint8Array.from([1, 2, 3]))
  const signed = fromGossip(await message)
  await host.stop()
  return signed
}

test.each(['secp256k1', 'Ed25519', 'RSA'] as const)('a message signed with %s is proven outside gossip', async type => {
  const signed = await publishOnce(privateKeyToProtobuf(await generateKeyPair(type, 2048)))
  const handedOn = decodeSigned(encodeSigned(signed))
  expect(encodeSigned(handedOn)).toEqual(encodeSigned(signed))
  expect(await isSignedByAuthor(handedOn)).toBe(true)
})

test('any change breaks the proof', async () => {
  const signed = await publishOnce(privateKeyToProtobuf(await generateKeyPair('secp256k1')))
  const other = await publishOnce(privateKeyToProtobuf(await generateKeyPair('secp256k1')))
  const changes: Partial<SignedMessage>[] = [
    { from: other.from },
    { from: 'nobody' },
    { sequence: new Uint8Array(8) },
    { topic: 'u' },
    { data: Uint8Array.from([1, 2, 4]) },
    { signature: other.signature },
    { signature: new Uint8Array(3) },
    { key: Uint8Array.from([8, 1, 18, 2, 1, 2]) },
  ]
  for (const change of changes) expect(await isSignedByAuthor({ ...signed, ...change })).toBe(false)
})
