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

/** Whether a JSON-RPC request, or a batch of them, asks for nothing but what pages and wallets do. */
export function isAskable(text: string): boolean {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return false
  }
  const calls = Array.isArray(request) ? request : [request]
  return calls.length > 0 && calls.length <= MAX_CALLS && calls.every(call => askable.has(methodOf(call)))
}

function methodOf(call: unknown): string {
  return typeof call === 'object' && call !== null && 'method' in call && typeof call.method === 'string'
    ? call.method
    : ''
}
