import type { Clock } from '#core/clock.ts'
import type { PeerGuard } from '../connections/peerGuard.ts'
import type { Host } from '../host.ts'
import type { Admission } from '../membership/admission.ts'
import { createPeerBuckets } from '../tokenBucket.ts'
import type { SignedMessage } from './signedMessage.ts'
import { createUnregisteredAuthors } from './unregisteredAuthors.ts'
import { ignore, ignoreAsOurs, type Ours, reject, type Verdict } from './verdict.ts'

/** A topic's handler of messages. */
export type MessageRules = {
  /** The cheap checks: size, form, topic, round, novelty. Has no side effects. */
  check(message: SignedMessage): Screened
  /** Checks again, since others may have arrived meanwhile, and keeps accepted messages. */
  take(message: SignedMessage): Verdict<unknown>
  /** Stores an unregistered peer's message about itself. It is not forwarded. */
  takeStranger?(message: SignedMessage): Verdict<unknown>
}

type Screened = Verdict<unknown> & Ours

export type MessageGate = {
  /**
   * The cheap checks, then the signature.
   *
   * @param patience - if given, waits for the sender's share of verifications; else messages above the share are skipped.
   */
  screen(message: SignedMessage, sender: string, rules: MessageRules, patience?: AbortSignal): Promise<Screened>
  /** Accepts a screened message once its author is known to be registered. */
  admit(message: SignedMessage, sender: string, rules: MessageRules): Promise<Verdict<unknown>>
}

/**
 * Signatures of one connection that are verified in a burst and per second, separately for gossip and for catching up: a third of a millisecond of a
 * core each. The burst is the load from one neighbour of a mesh when a round of twenty thousand peers begins.
 */
const VERIFICATIONS = { perSecond: 128, burst: 4096 }

type Options = {
  admission: Admission
  /** The source of look-ups that a sender causes. */
  sourceOf: (sender: string) => string
  clock: Clock
  /** Called for each message that another process signed with our key. */
  onTwin?: (message: SignedMessage) => void
  /** Called for each message that its author itself has just gossiped, however it is judged. */
  onFirstHand?: (message: SignedMessage) => void
}

/**
 * Every message of another peer passes here, from gossip and from catching up: first the free checks, then the signature, and only then
 * the chain is asked about the author. Peers that forward useless messages are penalised.
 */
export function createMessageGate(host: Host, { admission, sourceOf, clock, ...told }: Options): MessageGate {
  const countUseless = createFloodCount(host.guard, clock)
  const noteUnregistered = createUnregisteredAuthors({ admission, sourceOf, clock, charge: countUseless })
  const gossipOf = createPeerBuckets(VERIFICATIONS.perSecond, VERIFICATIONS.burst, clock)
  const answersOf = createPeerBuckets(VERIFICATIONS.perSecond, VERIFICATIONS.burst, clock)

  const isOfStranger = (message: SignedMessage, sender: string, rules: MessageRules): boolean =>
    rules.takeStranger !== undefined && message.from === sender

  async function hasVerification(sender: string, patience: AbortSignal | undefined): Promise<boolean> {
    if (patience === undefined) return gossipOf(sender).tryTake(1)
    const waitMs = answersOf(sender).takeMs(1)
    if (waitMs > 0) await clock.sleep(waitMs, patience)
    return true
  }
  function refuse(sender: string, reason: string): Verdict<never> {
    countUseless(sender, reason)
    return ignore(reason)
  }
  function ignoreUnregistered(author: string, sender: string): Verdict<never> & Ours {
    noteUnregistered(author, sender)
    return { ...ignore('author not registered'), later: true }
  }
  return {
    async screen(message, sender, rules, patience) {
      const checked = rules.check(message)
      if (checked.verdict === 'reject') return checked
      if (!isOfStranger(message, sender, rules) && !admission.isRegistered(message.from)) {
        const standing = admission.standingOf(message.from, sourceOf(sender))
        if (standing === 'unregistered') return ignoreUnregistered(message.from, sender)
        if (standing === 'busy') return ignoreAsOurs('too many unknown authors')
      }
      if (!(await hasVerification(sender, patience))) {
        const reason = 'too many signatures to verify'
        // A neighbour in a large swarm forwards what it has verified itself. A forger is found by those that are verified.
        const isGoodFaith = checked.verdict === 'accept' && message.from !== sender
        return isGoodFaith ? ignoreAsOurs(reason) : refuse(sender, reason)
      }
      // Useless messages are verified too: else forging one would cost its sender nothing.
      if (!(await host.verify(message))) return reject('not signed by its author')
      if (told.onTwin !== undefined && host.isElsewhere(message)) told.onTwin(message)
      // Messages that are caught up with may be days old.
      if (message.from === sender && patience === undefined) told.onFirstHand?.(message)
      // A forwarder may have acted in good faith, with its own view.
      if (checked.verdict === 'ignore' && !checked.ours && message.from === sender)
        return refuse(sender, checked.reason)
      return checked
    },
    async admit(message, sender, rules) {
      const isKnown = admission.isRegistered(message.from)
      const standing = isKnown ? 'registered' : await admission.ask(message.from, sourceOf(sender))
      if (standing !== 'registered' && isOfStranger(message, sender, rules)) {
        const taken = rules.takeStranger?.(message)
        return ignore(taken?.verdict === 'ignore' ? taken.reason : 'a stranger, kept for ourselves')
      }
      if (standing === 'unregistered') return ignoreUnregistered(message.from, sender)
      if (standing !== 'registered') return ignore('author not known yet')
      await host.messageQueue.enter()
      const taken = rules.take(message)
      return taken.verdict === 'ignore' && message.from === sender ? refuse(sender, taken.reason) : taken
    },
  }
}

/** Useless messages that a peer may send at once, and one more each second; an honest one with a late view sends a few. */
const BURST = 60
const FLOOD_POINTS = 5

/**
 * Counts ignored messages that their author itself sent. gossipsub does not score those; beyond a burst they are penalised, and seventeen
 * more lead to a ban.
 */
function createFloodCount(guard: PeerGuard, clock: Clock): (peer: string, reason: string) => void {
  const bucketOf = createPeerBuckets(1, BURST, clock)
  return (peer, reason) => {
    if (!bucketOf(peer).tryTake(1)) guard.penalise(peer, FLOOD_POINTS, reason)
  }
}
