import { TopicValidatorResult } from '@chainsafe/libp2p-gossipsub'

/**
 * What a check says of a message.
 *
 * `reject`: the bytes alone prove it wrong, so whoever sent or forwarded it is at fault. `ignore`: neither kept nor
 * forwarded, and nobody is blamed, as our own view may be the one that is late.
 */
export type Verdict<T> = { verdict: 'accept'; value: T } | { verdict: 'ignore' | 'reject'; reason: string }

/**
 * `ours`: passed over because of our own limits, or of a view that may be late, so that nobody is to blame. `later`: the author is a stranger, who
 * may register at any time.
 */
export type Ours = { ours?: true; later?: true }

export const reject = (reason: string): { verdict: 'reject'; reason: string } => ({ verdict: 'reject', reason })
export const ignore = (reason: string): { verdict: 'ignore'; reason: string } => ({ verdict: 'ignore', reason })
/** Passed over for our own sake: nobody pays for it, whoever sent it and however often. */
export const ignoreAsOurs = (reason: string) => ({ ...ignore(reason), ours: true }) as const

/** The same in gossipsub's words. */
export const gossipResult: Record<Verdict<unknown>['verdict'], TopicValidatorResult> = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
}
