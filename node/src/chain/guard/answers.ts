import type { RpcCall } from './endpoint.ts'

export type RpcError = { code?: unknown; message?: unknown; data?: unknown }

/** EIP-1474 and what providers made of it: too many requests, of any kind. */
const LIMITS = new Set([-32005, -32007, -32029, 429])
/** A server that lacks a method says so for ever; viem asks another one then. */
const NO_METHOD = new Set([-32601, -32004])

/**
 * Whether an error is the server's ruling on the call, which asking again does not change, and not a fault of the server.
 *
 * A view has nothing to rule on but a revert. Calls in the name of an account and transactions are ruled on in words that
 * differ by server.
 */
export function isVerdict({ method, params }: RpcCall, { code, message, data }: RpcError): boolean {
  if (code === 3 || hasRevertData(data) || /revert/i.test(String(message))) return true
  if (NO_METHOD.has(Number(code))) return true
  if (LIMITS.has(Number(code)) || /too many requests|rate limit|quota|unauthori[sz]ed/i.test(String(message)))
    return false
  return method === 'eth_sendRawTransaction' || method === 'eth_estimateGas' || hasSender(method, params)
}

/**
 * What is wrong with a result by its form alone; null if nothing is.
 *
 * viem decodes `0x` as a contract that is not there, which ends the reader: here it is a chain that is not ours, or a server
 * that lags.
 */
export function oddResult({ method, params }: RpcCall, result: unknown): string | null {
  if (method === 'eth_call') {
    if (!isHex(result)) return 'an answer that is not hex'
    if (hasSender(method, params)) return null
    return (result.length - 2) % 64 === 0 && result.length > 2 ? null : 'an answer that is not whole words'
  }
  if (method === 'eth_getBlockByNumber') return headOf(result) === null ? 'an answer that is not a block' : null
  if (method === 'eth_getLogs') return Array.isArray(result) ? null : 'an answer that is not a list'
  if (quantities.has(method)) return isQuantity(result) ? null : 'an answer that is not a number'
  return null
}

const quantities = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
])

/** The header of a block as the guard needs it. Time in seconds. */
export type Head = { number: number; timeSec: number; hash: string }

/** Null if the result is not a block. */
export function headOf(result: unknown): Head | null {
  const { number, timestamp, hash } = (result ?? {}) as Record<string, unknown>
  if (!isQuantity(number) || !isQuantity(timestamp) || !isHex(hash) || hash.length !== 66) return null
  const head = { number: Number(number), timeSec: Number(timestamp), hash }
  return Number.isSafeInteger(head.number) && Number.isSafeInteger(head.timeSec) ? head : null
}

/** Views have no sender, and each of ours returns something. */
function hasSender(method: string, params: unknown): boolean {
  const [call] = Array.isArray(params) ? params : []
  return method === 'eth_call' && typeof (call as { from?: unknown } | undefined)?.from === 'string'
}

function hasRevertData(data: unknown): boolean {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return isHex(inner) && inner.length > 2
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}
