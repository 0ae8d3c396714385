import { type Message, TopicValidatorResult } from '@chainsafe/libp2p-gossipsub'
import type { PeerId } from '@libp2p/interface'
import { CanonicalError } from '#core/canonical.ts'
import type { Logger } from '#core/logger.ts'
import type { Host } from '../host.ts'
import type { MessageGate, MessageRules } from './messageGate.ts'
import { decodeSigned, MAX_SIGNED_BYTES, type SignedMessage } from './signedMessage.ts'
import { scoreThresholds } from './topicScore.ts'
import { gossipResult, reject, type Verdict } from './verdict.ts'

type GossipOptions = {
  topics: readonly string[]
  /** Whether peers may send us messages of these topics. */
  subscribes: boolean
  gate: MessageGate
  rules: MessageRules
  logger: Logger
}

/** Pending messages of one peer, at most 9 MB. More are ignored: catching up fetches them later. */
const MAX_PENDING = 512

/**
 * Judges messages of these topics, which may come uninvited too, and subscribes to them. gossipsub itself checks no signature: it would do so on the event loop, and again for
 * each copy of a message.
 */
export function joinTopics(host: Host, options: GossipOptions): void {
  const { gate, rules } = options
  const pending = new Map<string, number>()
  const addPending = (sender: string, change: 1 | -1): void => {
    const count = (pending.get(sender) ?? 0) + change
    if (count === 0) pending.delete(sender)
    else pending.set(sender, count)
  }

  async function validate(source: PeerId, message: Message): Promise<TopicValidatorResult> {
    const sender = source.toString()
    if (message.data.byteLength > MAX_SIGNED_BYTES) return TopicValidatorResult.Reject
    if ((pending.get(sender) ?? 0) >= MAX_PENDING) return TopicValidatorResult.Ignore
    addPending(sender, 1)
    try {
      await host.messageQueue.enter()
      return gossipResult[await judge(sender, message)]
    } finally {
      addPending(sender, -1)
    }
  }
  async function judge(sender: string, message: Message): Promise<Verdict<unknown>['verdict']> {
    // gossipsub stops reading such a peer, but keeps what it has read.
    if (host.gossip.getScore(sender) < scoreThresholds.graylistThreshold) return 'ignore'
    const signed = open(message)
    const verdict = 'verdict' in signed ? signed : await passed(signed, sender)
    if (verdict.verdict === 'accept') return 'accept'
    const author = 'verdict' in signed ? undefined : signed.from
    options.logger.debug('message not taken', { sender, author, ...verdict })
    return verdict.verdict
  }
  async function passed(message: SignedMessage, sender: string): Promise<Verdict<unknown>> {
    const screened = await gate.screen(message, sender, rules)
    return screened.verdict === 'accept' ? gate.admit(message, sender, rules) : screened
  }

  for (const topic of options.topics) {
    host.gossip.topicValidators.set(topic, validate)
    if (options.subscribes) host.gossip.subscribe(topic)
  }
}

/** Signs and gossips a message of our own. @returns it, and whether any peer received it. */
export async function publishSigned(
  host: Host,
  topic: string,
  data: Uint8Array,
): Promise<{ message: SignedMessage; heard: boolean }> {
  const message = await host.sign(topic, data)
  const { recipients } = await host.gossip.publish(topic, message.bytes)
  return { message, heard: recipients.length > 0 }
}

function open(message: Message): SignedMessage | Verdict<never> {
  try {
    const signed = decodeSigned(message.data)
    return signed.topic === message.topic ? signed : reject('signed for another topic')
  } catch (cause) {
    if (cause instanceof CanonicalError) return reject(cause.message)
    throw cause
  }
}
