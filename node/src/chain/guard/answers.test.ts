import { expect, test } from 'vitest'
import { lacksState, oddResult } from './answers.ts'

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
})
