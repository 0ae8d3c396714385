import { TopicValidatorResult } from '@chainsafe/libp2p-gossipsub'

/**
 * Verdict of a check on a message. `reject`: the bytes alone prove it wrong, so its sender or forwarder is at fault. `ignore`: neither
 * stored nor forwarded, and nobody is penalised, since our own view may be late.
 */
export type Verdict<T> = { verdict: 'accept'; value: T } | { verdict: 'ignore' | 'reject'; reason: string }

/**
 * `ours`: skipped because of our own limits, or a possibly late view, so nobody is penalised. `later`: the author is a stranger, who
 * may register at any time. `misdated`: our clock or the author's is wrong, and forwarders are not penalised.
 */
export type Ours = { ours?: true; later?: true; misdated?: true }

export const reject = (reason: string): { verdict: 'reject'; reason: string } => ({ verdict: 'reject', reason })
export const ignore = (reason: string): { verdict: 'ignore'; reason: string } => ({ verdict: 'ignore', reason })
/** Skipped because of our own limits: never penalised. */
export const ignoreAsOurs = (reason: string) => ({ ...ignore(reason), ours: true }) as const

export const ignoreAsMisdated = (reason: string) => ({ ...ignore(reason), misdated: true }) as const

/** The same in gossipsub's words. */
export const gossipResult: Record<Verdict<unknown>['verdict'], TopicValidatorResult> = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
}
