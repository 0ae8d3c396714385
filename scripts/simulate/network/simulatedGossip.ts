import { TopicValidatorResult } from '@chainsafe/libp2p-gossipsub'
import { messageIdOf } from '../../../node/src/p2p/gossip/messageId.ts'
import type { SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import { scoreParams } from '../../../node/src/p2p/gossip/topicScore.ts'
import type { Medium } from './medium.ts'

/** Peers that a message is forwarded to: gossipsub's D. */
const MESH = 8
const INVALID_WEIGHT = scoreParams(['any'], () => 0).topics.any?.invalidMessageDeliveriesWeight ?? 0

type Validate = (
  source: { toString(): string },
  message: { topic: string; data: Uint8Array },
) => Promise<TopicValidatorResult>

/** Hands each message on once, to some of the linked peers that listen. */
export function createGossip(medium: Medium, peerId: string, penaltyOf: (peerId: string) => number, have: Set<string>) {
  const seen = new Set<string>()
  const listeners = new Set<() => void>()
  /** Messages of each peer whose bytes prove them wrong. */
  const invalid = new Map<string, number>()
  const topicValidators = new Map<string, Validate>()
  const topics = new Set<string>()
  function forward(topic: string, bytes: Uint8Array, id: string, sender: string): void {
    const links = medium.subscribersOf(topic, peerId).filter(one => one !== sender)
    for (let at = links.length - 1; at > 0; at--) {
      const other = Math.floor(Math.random() * (at + 1))
      const swapped = [links[other], links[at]] as [string, string]
      links[at] = swapped[0]
      links[other] = swapped[1]
    }
    for (const to of links.slice(0, MESH)) medium.send(peerId, to, topic, bytes, id)
  }
  async function receive(sender: string, topic: string, bytes: Uint8Array, id: string): Promise<void> {
    if (seen.has(id)) return
    seen.add(id)
    const result = await topicValidators.get(topic)?.(sender, { topic, data: bytes })
    if (result === TopicValidatorResult.Reject) invalid.set(sender, (invalid.get(sender) ?? 0) + 1)
    if (result !== TopicValidatorResult.Accept) return
    have.add(id)
    forward(topic, bytes, id, sender)
  }
  return {
    topicValidators,
    subscribe: (topic: string) => void topics.add(topic),
    subscribes: (topic: string) => topics.has(topic),
    hasSeen: (id: string) => seen.has(id),
    receive,
    /** The parts of gossipsub's score that may end a connection. */
    getScore: (peer: string) => INVALID_WEIGHT * (invalid.get(peer) ?? 0) ** 2 - penaltyOf(peer),
    getSubscribers: (topic: string) => medium.subscribersOf(topic, peerId),
    addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
    tellSubscribed() {
      for (const listener of listeners) listener()
    },
    async publish(topic: string, bytes: Uint8Array) {
      const id = textOf(messageIdOf(topic, bytes))
      seen.add(id)
      have.add(id)
      // As gossipsub does by default: its own messages go to all that listen.
      const recipients = medium.subscribersOf(topic, peerId)
      for (const to of recipients) medium.send(peerId, to, topic, bytes, id)
      return { recipients }
    },
  }
}

const ID = Symbol('id as text')
const textOf = (id: Uint8Array) => Buffer.from(id).toString('latin1')

/** Computed once for each message. */
export function idOf(message: SignedMessage & { [ID]?: string }): string {
  message[ID] ??= textOf(message.id)
  return message[ID]
}
