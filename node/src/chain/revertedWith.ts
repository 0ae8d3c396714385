import { BaseError, decodeErrorResult, ExecutionRevertedError, type Hex } from 'viem'
import { contractErrors } from './contracts.ts'

/** A revert without data. No call to a contract of ours ends so, but an endpoint may say it of any. */
export const NO_REASON = 'a revert without a reason'

/**
 * The revert of a failed call or gas estimate: the contract's error by name with its arguments, such as
 * `RewardVotes_WrongRound(3, 4, 9)`; null if it failed for another reason than a revert.
 */
export function revertedWith(error: unknown): string | null {
  if (!(error instanceof BaseError)) return null
  const carrier = error.walk(inner => revertData(inner) !== null)
  const data = carrier === null ? null : revertData(carrier)
  if (data !== null) return describe(data)
  const reverted = error.walk(inner => inner instanceof ExecutionRevertedError)
  return reverted === null ? null : NO_REASON
}

const UNKNOWN = 'an unknown error'

/** Says after a named revert whose word it is. */
export function revertHint(reason: string): string {
  const isOurs = reason !== NO_REASON && !reason.startsWith(UNKNOWN) && !reason.startsWith('Error(')
  return isOurs
    ? "Nothing was sent. The error is the contract's, according to the RPC endpoint."
    : "Nothing was sent. No contract of this release reverts like this: the RPC endpoint is faulty, or the deployment's record is of another release. Name another endpoint with --rpc."
}

/** Most characters of an error: the endpoint may have made it up. */
const MAX_TEXT = 300

/** One line that is safe for a terminal. */
function describe(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: contractErrors, data })
    const text = `${errorName}(${(args ?? []).map(String).join(', ')})`
    return text.slice(0, MAX_TEXT).replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ')
  } catch {
    return `${UNKNOWN} ${data.slice(0, 10)}`
  }
}

/** Servers put the data into `data`, or into `data.data`. */
function revertData(error: unknown): Hex | null {
  const data = (error as { data?: unknown } | null)?.data
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return typeof inner === 'string' && /^0x[0-9a-f]{8,}$/i.test(inner) ? (inner as Hex) : null
}
