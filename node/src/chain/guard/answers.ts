import { type Hex, RpcRequestError } from 'viem'
import { faultOfLogs, isLog } from './logAnswers.ts'
import {
  fieldsOf,
  isBytes,
  isHex,
  isListOf,
  isQuantity,
  isQuantityOrNone,
  isSafeQuantity,
  isSafeQuantityOrNone,
} from './values.ts'

export type RpcCall = { method: string; params?: unknown }

export type RpcError = { code?: unknown; message?: unknown; data?: unknown }

/** Codes of EIP-1474 and of providers for too many requests. */
const LIMITS = new Set([-32005, -32007, -32029, 429])
/** A server that lacks a method never gains it. */
const NO_METHOD = new Set([-32601, -32004])
/** Methods that viem replaces by another one where they are missing. Servers that start say that they lack those that all have. */
const OPTIONAL = new Set(['eth_maxPriorityFeePerGas'])

/** Methods that execute code. An answer to any other method that says "reverted" is a fault of the server. */
const EXECUTING = new Set(['eth_call', 'eth_estimateGas', 'eth_sendRawTransaction'])

/**
 * Whether an error is a verdict on the call, which a retry does not change, and not a fault of the server. For a view only a revert is a
 * verdict. For transactions and calls from an account, servers word their verdicts differently.
 */
export function isVerdict({ method, params }: RpcCall, error: RpcError): boolean {
  if (isRevert(error) && EXECUTING.has(method)) return true
  if (NO_METHOD.has(error.code as number) && OPTIONAL.has(method)) return true
  if (isLimit(error)) return false
  return method === 'eth_sendRawTransaction' || method === 'eth_estimateGas' || hasSender(method, params)
}

/** Whether an error says that the caller has asked too often. */
export function isLimit({ code, message }: RpcError): boolean {
  return LIMITS.has(code as number) || /too many requests|rate limit|quota|unauthori[sz]ed/i.test(wordOf(message))
}

/** Whether such a refusal may pass in seconds: a used-up quota and a wrong key do not. */
export function isTooOften({ code, message }: RpcError): boolean {
  const said = wordOf(message)
  const isRate = LIMITS.has(code as number) || /too many requests|rate limit/i.test(said)
  return isRate && (/second|minute/i.test(said) || !/\b(day|daily|month|monthly|quota)\b|capacity limit/i.test(said))
}

/** Texts of errors only: a list or an object may be too deep to convert. */
const wordOf = (message: unknown) => (typeof message === 'string' ? message : '')

/**
 * How a server that refused a view or an estimate says that it reverts: with the data of an error, or without any, as no view of ours ends. Null for
 * another refusal, and for calls in an account's name.
 */
export function revertOf(call: RpcCall, error: unknown): 'named' | 'bare' | null {
  const isAsked =
    call.method === 'eth_estimateGas' || (call.method === 'eth_call' && !hasSender(call.method, call.params))
  if (!isAsked || !(error instanceof RpcRequestError) || !isRevert(error)) return null
  return hasRevertData(error.data) ? 'named' : 'bare'
}

function isRevert({ code, message, data }: RpcError): boolean {
  return code === 3 || hasRevertData(data) || /revert/i.test(wordOf(message))
}

/** Whether a call requests events of several blocks. A failure for a single block is the server's fault, and is waited out. */
export function canAskLess({ method, params }: RpcCall): boolean {
  const [{ fromBlock, toBlock } = {} as Record<string, unknown>] = Array.isArray(params) ? params : []
  return method === 'eth_getLogs' && fromBlock !== toBlock
}

/** Whether an error says that events of so many blocks are too many. Each provider has its own words and codes for it. */
export function asksTooMuch(call: RpcCall, { message }: RpcError): boolean {
  const said = wordOf(message)
  if (!canAskLess(call) || /too many requests|request count|rate limit|per second|quota/i.test(said)) return false
  return /\brange\b|results|response size|too (large|many|wide)|time(d )?out/i.test(said)
}

/** Which parameter of a call names the block that it reads. */
const BLOCK_AT: Record<string, number> = { eth_getBlockByNumber: 0, eth_call: 1, eth_getLogs: 0 }

/** The number of the last block that a call reads; `Infinity` for the newest. */
export function lastBlockOf({ method, params }: RpcCall): number {
  const named = Array.isArray(params) ? params[BLOCK_AT[method] ?? params.length] : undefined
  const block = method === 'eth_getLogs' ? fieldsOf(named).toBlock : named
  return isSafeQuantity(block) ? Number(block) : Number.POSITIVE_INFINITY
}

/**
 * Whether an error means that the server no longer has the state of the requested block: a full node keeps about 128. Each client and
 * provider words it differently. URLs are ignored: an endpoint may be called archive.
 */
export function lacksState(message: string): boolean {
  return (
    lacksBlock(message) ||
    /missing trie node|\bno state\b|\bstate\b.*(available|not found|missing)|prun(ed|ing)|archive/i.test(
      message.replace(/https?:\/\/\S+/g, ''),
    )
  )
}

/** Whether an error means that the server does not have the requested block at all, as one that is late. */
export const lacksBlock = (message: string) => /(header|block) not found|unknown block/i.test(message)

/**
 * The fault in the form of a result; null if there is none. viem treats `0x` as a missing contract, which would end the reader: here it
 * means another chain, or a lagging server.
 */
export function oddResult({ method, params }: RpcCall, result: unknown): string | null {
  if (method === 'eth_call') {
    if (!isHex(result)) return 'an answer that is not hex'
    if (hasSender(method, params)) return null
    return (result.length - 2) % 64 === 0 && result.length > 2 ? null : 'an answer that is not whole words'
  }
  if (method === 'eth_getBlockByNumber') return faultOfBlock(params, result)
  if (method === 'eth_getLogs') return faultOfLogs(params, result)
  if (method === 'eth_getCode') return isHex(result) ? null : 'an answer that is not hex'
  if (method === 'eth_sendRawTransaction') return isBytes(result, 32) ? null : 'an answer that is not a hash'
  if (method === 'eth_getTransactionReceipt')
    return result === null || isReceiptOf(params, result) ? null : 'an answer that is not the receipt'
  if (safeQuantities.has(method)) return isSafeQuantity(result) ? null : 'an answer that is not a safe number'
  if (quantities.has(method)) return isQuantity(result) ? null : 'an answer that is not a number'
  return null
}

/** viem converts these to numbers, and throws above 2^53; the others to bigints. */
const safeQuantities = new Set(['eth_blockNumber', 'eth_chainId', 'eth_getTransactionCount'])
const quantities = new Set(['eth_estimateGas', 'eth_gasPrice', 'eth_getBalance', 'eth_maxPriorityFeePerGas'])

/** The header of a block as the guard needs it. Time in seconds. */
export type Head = { number: number; timeSec: number; hash: string }

/** Null if the result is not a block. */
export function headOf(result: unknown): Head | null {
  const { number, timestamp, hash } = fieldsOf(result)
  if (!isSafeQuantity(number) || !isSafeQuantity(timestamp) || !isBytes(hash, 32)) return null
  return { number: Number(number), timeSec: Number(timestamp), hash }
}

/** Optional numbers of a block that viem converts. */
const BLOCK_NUMBERS = ['baseFeePerGas', 'blobGasUsed', 'difficulty', 'excessBlobGas', 'gasLimit', 'gasUsed', 'size']

function isBlock(result: unknown): boolean {
  if (headOf(result) === null) return false
  const block = result as Record<string, unknown>
  const { transactions, totalDifficulty } = block
  return (
    [...BLOCK_NUMBERS.map(name => block[name]), totalDifficulty].every(isQuantityOrNone) &&
    (transactions === undefined || isListOf(one => isHex(one) || isTransaction(one), transactions))
  )
}

function faultOfBlock(params: unknown, result: unknown): string | null {
  if (result === null) return 'null: block not found'
  if (!isBlock(result)) return 'an answer that is not a block'
  const [asked] = Array.isArray(params) ? params : []
  return !isQuantity(asked) || Number(asked) === headOf(result)?.number ? null : 'another block than was asked for'
}

/** Optional numbers of a transaction that viem converts: to bigints, and to numbers. */
const TRANSACTION_BIGINTS = [
  ...['blockNumber', 'gas', 'gasPrice', 'maxFeePerBlobGas', 'maxFeePerGas', 'maxPriorityFeePerGas', 'v', 'value'],
]
const TRANSACTION_NUMBERS = ['chainId', 'nonce', 'transactionIndex', 'yParity']

/** Whether a result is a transaction of a block; viem requests blocks with transactions to detect a replacement. */
function isTransaction(result: unknown): boolean {
  const transaction = fieldsOf(result)
  const { hash, from } = transaction
  return (
    isBytes(hash, 32) &&
    isBytes(from, 20) &&
    TRANSACTION_BIGINTS.map(name => transaction[name]).every(isQuantityOrNone) &&
    TRANSACTION_NUMBERS.map(name => transaction[name]).every(isSafeQuantityOrNone)
  )
}

/** Optional numbers of a receipt that viem converts to bigints. */
const RECEIPT_BIGINTS = ['cumulativeGasUsed', 'effectiveGasPrice', 'blobGasPrice', 'blobGasUsed']

/** Whether an answer has the fields of a receipt; that of a pending transaction has no block yet. */
function isReceipt(result: unknown): boolean {
  const receipt = fieldsOf(result)
  const { blockNumber, status, gasUsed, transactionIndex, logs } = receipt
  const isConvertible =
    RECEIPT_BIGINTS.map(name => receipt[name]).every(isQuantityOrNone) && isSafeQuantityOrNone(transactionIndex)
  if (!isConvertible) return false
  if (blockNumber === null) return true
  const hasLogs = logs === undefined || logs === null || isListOf(isLog, logs)
  return hasLogs && isSafeQuantity(blockNumber) && isQuantity(gasUsed) && (status === '0x0' || status === '0x1')
}

/** A receipt of another transaction, as a faulty cache gives it, would settle a call by the outcome of that one. */
function isReceiptOf(params: unknown, result: unknown): boolean {
  const [hash] = Array.isArray(params) ? params : []
  const { transactionHash } = fieldsOf(result)
  return (
    isReceipt(result) && isBytes(transactionHash, 32) && transactionHash.toLowerCase() === String(hash).toLowerCase()
  )
}

/** Views have no sender, and each of ours returns something. */
function hasSender(method: string, params: unknown): boolean {
  const [call] = Array.isArray(params) ? params : []
  return method === 'eth_call' && typeof (call as { from?: unknown } | undefined)?.from === 'string'
}

function hasRevertData(data: unknown): boolean {
  return revertDataOf(data) !== undefined
}

/** The data of a revert: servers put it into `data`, or into `data.data`. */
export function revertDataOf(data: unknown): Hex | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return isHex(inner) && inner.length > 2 ? (inner as Hex) : undefined
}
