import { expect, test } from 'vitest'
import { isVerdict, lacksState, oddResult } from './answers.ts'

test.each([
  ['missing trie node 5f3c (path ) state 0x5f3c is not available', true],
  ['header not found', true],
  ['required historical state unavailable (reexec=128)', true],
  ['old data not available due to pruning', true],
  ['state at block #984 is pruned', true],
  ['No state available for block 0x5f3c', true],
  ['World state unavailable', true],
  ['archive requests need another plan', true],
  ['too many requests', false],
  ['no answer within 10 s', false],
  ['HTTP status 503', false],
  ['The chain at https://archive.example gave no valid answer (HTTP status 503).', false],
  ['internal error', false],
])('%s: the state of the block is gone: %s', (message, isGone) => expect(lacksState(message)).toBe(isGone))

test('a block with its transactions whole is one, as viem asks for where a receipt is late, unless their numbers are none', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const transaction = { hash, from: `0x${'12'.repeat(20)}`, nonce: '0x5', gas: '0x5208', value: '0x0' }
  const blockWith = (...transactions: unknown[]) => ({ number: '0xd', timestamp: '0x1', hash, transactions })
  const call = { method: 'eth_getBlockByNumber', params: ['0xd', true] }
  expect(oddResult(call, blockWith(transaction))).toBeNull()
  for (const wrong of [{ ...transaction, nonce: 'five' }, { ...transaction, hash: '0x' }, {}, null, 'transaction'])
    expect(oddResult(call, blockWith(wrong))).toBe('an answer that is not a block')
  expect(lacksState(oddResult(call, null) ?? '')).toBe(true)
})

test('numbers that viem converts are refused if they are not safe: its error does not look like an outage', () => {
  const huge = `0x${'f'.repeat(20)}`
  const hash = `0x${'ab'.repeat(32)}`
  for (const method of ['eth_getTransactionCount', 'eth_blockNumber', 'eth_chainId']) {
    expect(oddResult({ method }, '0x5')).toBeNull()
    expect(oddResult({ method }, huge)).toBe('an answer that is not a safe number')
  }
  expect(oddResult({ method: 'eth_getBalance' }, huge)).toBeNull()
  const blockWith = (transaction: object) => ({ number: '0xd', timestamp: '0x1', hash, transactions: [transaction] })
  const call = { method: 'eth_getBlockByNumber', params: ['0xd', true] }
  for (const name of ['chainId', 'nonce', 'transactionIndex', 'yParity'])
    expect(oddResult(call, blockWith({ hash, from: `0x${'12'.repeat(20)}`, [name]: huge })), name).not.toBeNull()
})

test('a receipt is refused if it is of another transaction, or if viem cannot convert one of its numbers or events', () => {
  const transactionHash = `0x${'ab'.repeat(32)}`
  const block = { blockNumber: '0x7', transactionIndex: '0x0' }
  const receipt = { transactionHash, ...block, status: '0x1', gasUsed: '0x5208', logs: [] }
  const call = { method: 'eth_getTransactionReceipt', params: [transactionHash] }
  expect(oddResult(call, receipt)).toBeNull()
  expect(oddResult(call, null)).toBeNull()
  const wrong = [
    { transactionIndex: `0x${'f'.repeat(20)}` },
    { effectiveGasPrice: 'one' },
    { logs: {} },
    { logs: [{}] },
    { transactionHash: `0x${'cd'.repeat(32)}` },
  ]
  for (const part of wrong) expect(oddResult(call, { ...receipt, ...part }), JSON.stringify(part)).not.toBeNull()
})

test('a revert is a verdict on what executes code, and a fault of any other answer', () => {
  const revert = { code: 3, message: 'execution reverted', data: '0x12345678' }
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendRawTransaction'])
    expect(isVerdict({ method }, revert), method).toBe(true)
  for (const method of ['eth_getTransactionCount', 'eth_getBlockByNumber', 'eth_getLogs'])
    expect(isVerdict({ method }, revert), method).toBe(false)
})

test('a missing method is a verdict only where viem has another one, and a fault of a server that starts otherwise', () => {
  for (const code of [-32601, -32004]) {
    const error = { code, message: 'the method is not available' }
    expect(isVerdict({ method: 'eth_maxPriorityFeePerGas' }, error)).toBe(true)
    for (const method of ['eth_chainId', 'eth_getBlockByNumber', 'eth_getTransactionCount', 'eth_getLogs', 'eth_call'])
      expect(isVerdict({ method }, error), method).toBe(false)
  }
})

test('an answer of 16 MiB is hex as a short one is', () => {
  expect(oddResult({ method: 'eth_call', params: [{}] }, `0x${'ab'.repeat(2 ** 23)}`)).toBeNull()
  expect(oddResult({ method: 'eth_call', params: [{}] }, `0x${'ab'.repeat(31)}a`)).toBe('an answer that is not hex')
})
