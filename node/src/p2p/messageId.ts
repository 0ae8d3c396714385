import { createHash } from 'node:crypto'
import type { Message } from '@chainsafe/libp2p-gossipsub'

/**
 * Names a gossip message by who signed it and its sequence number, both under the signature.
 *
 * 20 bytes: the ids travel in every IHAVE, and sender and number alone are 42 bytes or more.
 */
export function messageId(message: Message): Uint8Array {
  if (message.type !== 'signed') throw new TypeError('an unsigned message passed strict signing')
  const sequence = Buffer.alloc(8)
  sequence.writeBigUInt64BE(message.sequenceNumber)
  return createHash('sha256').update(message.from.toMultihash().bytes).update(sequence).digest().subarray(0, 20)
}
