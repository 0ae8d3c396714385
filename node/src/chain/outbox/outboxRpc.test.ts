import { expect, test } from 'vitest'
import { gasLimitFor, sendOutcome } from './outboxRpc.ts'

// As anvil, geth, erigon, nethermind, reth and op-geth say it.
test.each([
  ['transaction already imported', 'accepted'],
  ['already known', 'accepted'],
  ['AlreadyKnown', 'accepted'],
  ['nonce too low', 'nonce too low'],
  ['nonce too low: next nonce 5, tx nonce 3', 'nonce too low'],
  ['OldNonce, Current nonce: 5, nonce of rejected tx: 3', 'nonce too low'],
  ['replacement transaction underpriced', 'underpriced'],
  ['transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
  ['ReplacementNotAllowed', 'underpriced'],
  ['INTERNAL_ERROR: could not replace existing tx', 'underpriced'],
  ['max fee per gas less than block base fee', 'underpriced'],
  ['Insufficient funds for gas * price + value', 'no funds'],
])('"%s" means %s', (message, outcome) => {
  expect(sendOutcome(new Error('outer', { cause: new Error(message) }))).toBe(outcome)
})

test('a verdict on the transaction itself is returned; any other error is not a verdict', () => {
  expect(sendOutcome(new Error('intrinsic gas too low'))).toEqual({ refused: 'intrinsic gas too low' })
  expect(sendOutcome(new Error('too many requests'))).toBeNull()
})

test('a reveal that comes to complete a quorum has the gas for it', () => {
  // As measured: 69,567 for the first and the third of three, 93,892 for the second.
  expect(gasLimitFor(69_567n)).toBeGreaterThan(93_892n)
})
