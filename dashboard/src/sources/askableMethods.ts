/** Methods that pages and wallets call. An endpoint's other methods may be for its operator only: those of a local chain give coin away. */
const askable = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'net_version',
])

/** Calls in one request: a page asks for a few at a time. */
const MAX_CALLS = 50

/**
 * Validates a JSON-RPC request or batch: only methods that pages and wallets need.
 *
 * @returns the request to send, serialised again, since endpoints differ on repeated keys and their case and could read another method than
 *   was checked. Null if it contains anything else.
 */
export function askableBody(text: string): string | null {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return null
  }
  const calls = (Array.isArray(request) ? request : [request]).map(askableCall)
  if (calls.length === 0 || calls.length > MAX_CALLS || calls.includes(null)) return null
  return JSON.stringify(Array.isArray(request) ? calls : calls[0])
}

/** The fields of a JSON-RPC call, and no others. */
function askableCall(call: unknown) {
  if (typeof call !== 'object' || call === null) return null
  const { jsonrpc, id, method, params } = call as Record<string, unknown>
  return typeof method === 'string' && askable.has(method) ? { jsonrpc, id, method, params } : null
}
