import { BaseError, RpcRequestError } from 'viem'
import { type RpcCall, revertOf } from './answers.ts'

/** A pool's answer to a transaction. `refused`: its words for any other reason. */
export type SendOutcome = 'accepted' | 'nonce too low' | 'underpriced' | 'no funds' | { refused: string }

/** Whether a pool refused a transaction, so that it lacks it. */
export const isRefused = (outcome: SendOutcome | undefined) => outcome === 'no funds' || typeof outcome === 'object'

/** The words of a server that refuses a call; null for any other error, such as an outage. */
export function refusalOf(error: unknown): string | null {
  const refusal = error instanceof BaseError ? error.walk(inner => inner instanceof RpcRequestError) : null
  return refusal instanceof RpcRequestError ? refusal.details : null
}

/**
 * A pool's answer in the form of an error: servers agree on the words, not on the codes. A refusal in other words is one of this transaction, too.
 *
 * @returns null if the error does not answer the transaction.
 */
export function sendOutcome(error: unknown): SendOutcome | null {
  const text = messages(error)
  if (/already ?known|already imported|ALREADY_EXISTS|\bknown transaction/i.test(text)) return 'accepted'
  if (/nonce (is )?too low|OldNonce|nonce has already been used/i.test(text)) return 'nonce too low'
  if (UNDERPRICED.test(text)) return 'underpriced'
  if (/insufficient ?funds|upfront cost exceeds/i.test(text)) return 'no funds'
  const refused = refusalOf(error)
  return refused === null ? null : { refused }
}

/** Methods whose refusals are verdicts, in any words. */
const WORDED = new Set(['eth_estimateGas', 'eth_sendRawTransaction'])

/**
 * Whether an endpoint refuses a transaction or an estimate in words that decide nothing: it may lack the method, or have a limit of its own. Another
 * one can be asked, since the same bytes can be sent twice.
 */
export function isUndecided(call: RpcCall, error: unknown): boolean {
  const isRefusal = WORDED.has(call.method) && refusalOf(error) !== null
  return isRefusal && typeof sendOutcome(error) !== 'string' && revertOf(call, error) === null
}

const UNDERPRICED =
  /underpriced|fee ?too ?low|gas price below|ReplacementNotAllowed|could not replace existing tx|max fee per gas less than block base fee/i

function messages(error: unknown): string {
  const parts: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(at.message)
    if ('details' in at && typeof at.details === 'string') parts.push(at.details)
  }
  return parts.join('\n')
}
