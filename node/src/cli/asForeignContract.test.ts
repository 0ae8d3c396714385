import { ContractFunctionExecutionError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from 'viem'
import { expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import { asForeignContract } from './asForeignContract.ts'

const address = `0x${'ab'.repeat(20)}` as const
const call = { abi: [], contractAddress: address, functionName: 'roundAt' }
const failed = (cause: ContractFunctionRevertedError | ContractFunctionZeroDataError) =>
  asForeignContract(new ContractFunctionExecutionError(cause, call))

test('a contract that gives no answer and no reason is another one, in one line', () => {
  const silent = [
    new ContractFunctionRevertedError({ abi: [], functionName: 'roundAt' }),
    new ContractFunctionRevertedError({ abi: [], functionName: 'roundAt', message: 'execution reverted' }),
    new ContractFunctionZeroDataError({ functionName: 'roundAt' }),
  ]
  for (const cause of silent)
    expect(formatError(failed(cause))).toMatch(
      new RegExp(`^The contract at ${address} does not answer roundAt\\. .*another release.* \\[FOREIGN_CONTRACT\\]$`),
    )
})

test('a revert with a reason, and any other error, stay as they are', () => {
  const reasoned = new ContractFunctionRevertedError({ abi: [], functionName: 'roundAt', message: 'not open' })
  expect(failed(reasoned)).toBeInstanceOf(ContractFunctionExecutionError)
  const other = new Error('x')
  expect(asForeignContract(other)).toBe(other)
})
