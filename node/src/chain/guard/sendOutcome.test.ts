import { expect, test } from 'vitest'
import { sendOutcome } from './sendOutcome.ts'

// As anvil, besu, geth, erigon, nethermind, reth and op-geth say it.
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
  ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 100, BaseFee: 240', 'underpriced'],
  ['FeeTooLowToCompete', 'underpriced'],
  ['Gas price below current base fee', 'underpriced'],
  ['Insufficient funds for gas * price + value', 'no funds'],
  ['InsufficientFunds, Account balance: 1000, cumulative cost: 2000', 'no funds'],
  ['Upfront cost exceeds account balance', 'no funds'],
])('"%s" means %s', (message, outcome) => {
  expect(sendOutcome(new Error('outer', { cause: new Error(message) }))).toBe(outcome)
})
