import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import type { Clock } from '#core/clock.ts'
import type { PeerPrivateKey } from './peerPrivateKey.ts'
import { encodeSigned, type SignedMessage, signedBytesOf } from './signedMessage.ts'

export type SignMessage = (topic: string, data: Uint8Array) => Promise<SignedMessage>

/**
 * Signs the messages of one peer, each with a higher sequence number than the one before: nanoseconds since 1970, so that
 * they go on growing after a restart.
 */
export function createMessageSigner(key: PeerPrivateKey, clock: Clock): SignMessage {
  const from = peerIdFromPrivateKey(key).toString()
  const rsaKey = key.type === 'RSA' ? publicKeyToProtobuf(key.publicKey) : new Uint8Array(0)
  let last = 0n
  return async (topic, data) => {
    const nowNs = BigInt(Math.floor(clock.nowMs())) * 1_000_000n
    last = nowNs > last ? nowNs : last + 1n
    const unsigned = { from, sequence: bigEndian(last), topic, data }
    const signature = Uint8Array.from(await key.sign(signedBytesOf(unsigned)))
    return encodeSigned({ ...unsigned, signature, key: rsaKey })
  }
}

function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value)
  return bytes
}
