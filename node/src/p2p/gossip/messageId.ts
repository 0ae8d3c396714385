import { createHash } from 'node:crypto'
import type { Message } from '@chainsafe/libp2p-gossipsub'
import type { RPC } from '@chainsafe/libp2p-gossipsub/message'

/**
 * Names a signed message by all sent bytes: 20 bytes.
 *
 * Not by author and sequence number: a forged message with both, sent first, would make the true one a duplicate. Nor without the topic:
 * the true bytes, sent on another topic first, would do the same.
 *
 * @param bytes - the signed message, encoded.
 */
export function messageIdOf(topic: string, bytes: Uint8Array): Buffer {
  // The topic's length keeps its end apart from the beginning of the message.
  return createHash('sha256').update(`${topic.length}:${topic}`).update(bytes).digest().subarray(0, 20)
}

export const messageId = (message: Message): Uint8Array => messageIdOf(message.topic, message.data)

/**
 * The same for a raw message, before gossipsub validates it.
 *
 * @throws {TypeError} if it names an author outside the signed bytes. gossipsub's check of unsigned messages overlooks that
 * field and forwards it: a megabyte of it would travel along with every message. What throws here is dropped.
 */
export function rawMessageId({ from, topic, data }: RPC.Message): string {
  if (from !== undefined) throw new TypeError('a message with an author outside the signed bytes')
  return messageIdOf(topic, data ?? new Uint8Array(0)).toString('hex')
}
