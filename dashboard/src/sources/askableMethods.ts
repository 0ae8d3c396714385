/** What pages and wallets ask of a chain. An endpoint's other methods may belong to its operator: a local chain's give coin away. */
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
 * A JSON-RPC request, or a batch of them, that asks for nothing but what pages and wallets do.
 *
 * @returns what to send: written again, since endpoints disagree on repeated keys and on their case, and would read another method than was
 * checked. Null where something else is asked.
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
