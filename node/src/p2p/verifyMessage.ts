import { type PeerPublicKey, peerPublicKey } from './peerPublicKey.ts'
import { type SignedMessage, signedBytesOf } from './signedMessage.ts'
import { verifyPeerSignature } from './verifyPeerSignature.ts'

/** True if `from` signed exactly this. Never throws. */
export type VerifyMessage = (message: SignedMessage) => Promise<boolean>

/** Reading a key takes a tenth of a millisecond of the event loop; these many are kept, of authors that were proven. */
const MAX_KEYS = 1024

export function createMessageVerifier(): VerifyMessage {
  const known = new Map<string, { key: PeerPublicKey; rsaKey: Uint8Array }>()

  function keyOf(message: SignedMessage): PeerPublicKey | null {
    const held = known.get(message.from)
    // Of an RSA key the id holds the hash only, so what comes with the message must be the same each time.
    if (held !== undefined && Buffer.compare(held.rsaKey, message.key) === 0) return held.key
    return peerPublicKey(message.from, message.key)
  }
  /** As the youngest; the oldest goes where there are too many. */
  function keep(message: SignedMessage, key: PeerPublicKey): void {
    known.delete(message.from)
    known.set(message.from, { key, rsaKey: message.key })
    const oldest = known.keys().next()
    if (known.size > MAX_KEYS && oldest.done === false) known.delete(oldest.value)
  }
  return async message => {
    const key = keyOf(message)
    if (key === null || !(await verifyPeerSignature(key, signedBytesOf(message), message.signature))) return false
    keep(message, key)
    return true
  }
}
