import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { expect, test } from 'vitest'
import { CanonicalError, encodeCanonical } from '#core/canonical.ts'
import { createManualClock } from '#core/clock.ts'
import { peerPrivateKey } from '../keys/peerPrivateKey.ts'
import { createMessageSigner, createMessageVerifier } from './messageSignatures.ts'
import { decodeSigned, encodeSigned, MAX_SIGNED_BYTES, type SignedFields, type SignedMessage } from './signedMessage.ts'

const kinds = ['secp256k1', 'Ed25519', 'RSA'] as const

async function signed(type: (typeof kinds)[number] = 'secp256k1'): Promise<SignedMessage> {
  const key = peerPrivateKey(privateKeyToProtobuf(await generateKeyPair(type, 2048)))
  return createMessageSigner(key, createManualClock()).sign('t', Uint8Array.from([1, 2, 3]))
}

const fieldsOf = ({ bytes: _bytes, id: _id, ...fields }: SignedMessage): SignedFields => fields

test.each(kinds)('a message signed with %s is proven wherever it goes, again and again', async type => {
  const message = await signed(type)
  const handedOn = decodeSigned(message.bytes)
  expect(handedOn).toEqual(message)
  const verify = createMessageVerifier()
  expect([await verify(handedOn), await verify(handedOn)]).toEqual([true, true])
})

test.each(kinds)(
  'any change of a message signed with %s breaks the proof, also once the author is known',
  async type => {
    const [message, other] = [await signed(type), await signed(type)]
    const verify = createMessageVerifier()
    await verify(message)
    const flipped = Uint8Array.from(message.signature)
    flipped[20] = (flipped[20] ?? 0) ^ 1
    const changes: Partial<SignedFields>[] = [
      { from: other.from },
      { from: 'nobody' },
      { from: '0OIl' },
      { from: '' },
      { sequence: new Uint8Array(8) },
      { topic: 'u' },
      { data: Uint8Array.from([1, 2, 4]) },
      { signature: other.signature },
      { signature: flipped },
      { signature: new Uint8Array(3) },
      { signature: new Uint8Array(0) },
      { signature: Uint8Array.from([...message.signature, 0]) },
      { key: Uint8Array.from([8, 1, 18, 2, 1, 2]) },
      { key: Uint8Array.from([...message.key, 0]) },
    ]
    for (const change of changes) {
      expect(await verify(encodeSigned({ ...fieldsOf(message), ...change })), Object.keys(change)[0]).toBe(false)
    }
  },
)

test('sequence numbers grow while the clock stands still, and with it when it moves', async () => {
  const clock = createManualClock()
  const key = peerPrivateKey(privateKeyToProtobuf(await generateKeyPair('Ed25519')))
  const { sign } = createMessageSigner(key, clock)
  const messages = [await sign('t', new Uint8Array(0)), await sign('t', new Uint8Array(0))]
  await clock.advance(1)
  messages.push(await sign('t', new Uint8Array(0)))
  const hex = messages.map(({ sequence }) => Buffer.from(sequence).toString('hex'))
  expect(hex).toEqual([...new Set(hex)].sort())
})

test('messages with our key that another process signed since ours began are recognised', async () => {
  const clock = createManualClock(1_000)
  const key = peerPrivateKey(privateKeyToProtobuf(await generateKeyPair('Ed25519')))
  const before = await createMessageSigner(key, clock).sign('t', new Uint8Array(0))
  clock.advance(1)
  const ours = createMessageSigner(key, clock)
  const own = [await ours.sign('t', new Uint8Array(0)), await ours.sign('t', new Uint8Array(0))]
  clock.advance(1)
  const twins = await createMessageSigner(key, clock).sign('t', new Uint8Array(0))
  expect([before, ...own, twins, await signed()].map(ours.isElsewhere)).toEqual([false, false, false, true, false])
})

test('messages that an earlier process signed by a clock that was ahead are not those of another process', async () => {
  const key = peerPrivateKey(privateKeyToProtobuf(await generateKeyPair('Ed25519')))
  const earlier = await createMessageSigner(key, createManualClock(3_600_000)).sign('t', new Uint8Array(0))
  expect(createMessageSigner(key, createManualClock()).isElsewhere(earlier)).toBe(false)
})

test('ids differ by topic and by every byte, so that nothing forged stands in the way of the true message', async () => {
  const message = await signed()
  const forged = encodeSigned({ ...fieldsOf(message), signature: new Uint8Array(70) })
  const elsewhere = encodeSigned({ ...fieldsOf(message), topic: 'tt' })
  const ids = [message, forged, elsewhere].map(({ id }) => Buffer.from(id).toString('hex'))
  expect(new Set(ids).size).toBe(3)
})

test.each<[string, (message: SignedMessage) => Uint8Array]>([
  ['cut short', message => message.bytes.subarray(0, -1)],
  ['longer', message => Uint8Array.from([...message.bytes, 0])],
  ['with one more field', message => encodeCanonical({ ...fieldsOf(message), more: 1 })],
  [
    'with a sequence of other length',
    message => encodeCanonical({ ...fieldsOf(message), sequence: new Uint8Array(9) }),
  ],
  ['too large', message => encodeCanonical({ ...fieldsOf(message), data: new Uint8Array(MAX_SIGNED_BYTES) })],
])('a message that is %s is refused before its signature is checked', async (_, change) => {
  const bytes = change(await signed())
  expect(() => decodeSigned(bytes)).toThrow(CanonicalError)
})
