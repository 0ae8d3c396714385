import * as abis from '@waggle/deployments/abi'
import { type AbiItem, encodeErrorResult, RpcRequestError, zeroAddress, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { contractErrors } from './contracts.ts'
import { NO_REASON, revertedWith, revertHint } from './revertedWith.ts'

const data = encodeErrorResult({ abi: contractErrors, errorName: 'RewardVotes_WrongRound', args: [3n, 4n, 9n] })
const rpcError = (error: { code: number; message: string; data?: unknown }) =>
  new RpcRequestError({ body: {}, url: 'http://127.0.0.1', error })

test('a custom error is named, with its arguments, wherever the server puts its bytes', () => {
  for (const carrier of [data, { data }])
    expect(revertedWith(rpcError({ code: 3, message: 'execution reverted', data: carrier }))).toBe(
      'RewardVotes_WrongRound(3, 4, 9)',
    )
})

/** A value of each type that our errors carry. */
const EXAMPLES: Readonly<Record<string, unknown>> = { uint: 7, bytes: zeroHash, address: zeroAddress, string: 'terms' }

test('every custom error of every contract is named', () => {
  const items = Object.values<readonly AbiItem[]>(abis).flat()
  const errors = items.filter(item => item.type === 'error')
  expect(errors.length).toBeGreaterThan(100)
  for (const error of errors) {
    const args = error.inputs.map(({ type }) => EXAMPLES[type.replace(/\d+$/, '')])
    const carrier = encodeErrorResult({ abi: [error], args })
    const named = revertedWith(rpcError({ code: 3, message: 'execution reverted', data: carrier }))
    expect(named).toBe(`${error.name}(${args.join(', ')})`)
  }
})

test('an error that no contract of ours has is shown by its selector', () => {
  expect(revertedWith(rpcError({ code: 3, message: 'execution reverted', data: '0x12345678' }))).toBe(
    'an unknown error 0x12345678',
  )
})

test("a revert that no contract of ours makes is not called the contract's", () => {
  expect(revertHint('RewardVotes_WrongRound(3, 4, 9)')).toMatch("the contract's, according to the RPC endpoint")
  for (const madeUp of [NO_REASON, 'an unknown error 0x12345678', 'Error(no project)'])
    expect(revertHint(madeUp)).toMatch('No contract of this release reverts like this')
})

test('a reason that an endpoint made up is one line of bounded length without control sequences', () => {
  const errorInputs = [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }] as const
  const reason = `a\u001b[2J\nforged line\u202e${'x'.repeat(2 ** 20)}`
  const long = encodeErrorResult({ abi: errorInputs, args: [reason] })
  const shown = revertedWith(rpcError({ code: 3, message: 'execution reverted', data: long }))
  expect(shown).toMatch(/^Error\(a \[2J forged line x+$/)
  expect(shown?.length).toBeLessThanOrEqual(300)
})

test('an error that is not a revert gives null', () => {
  expect(revertedWith(rpcError({ code: -32000, message: 'insufficient funds' }))).toBeNull()
  expect(revertedWith(new Error('x'))).toBeNull()
  expect(revertedWith(undefined)).toBeNull()
})
