import { ExecutionRevertedError } from 'viem'
import { expect, test } from 'vitest'
import { ChainUnreachableError, StateUnavailableError } from '#chain/chainErrors.ts'
import { askEndpoints } from './askEndpoints.ts'

const endpoints = [{ rpcUrl: 'http://a' }, { rpcUrl: 'http://b' }]
const failing =
  (error: Error) =>
  async ({ rpcUrl }: { rpcUrl: string }) => {
    if (rpcUrl === 'http://b') throw error
    return rpcUrl
  }

test('an endpoint that says that a view reverts, or that does not answer, is left out', async () => {
  const reverted = new ExecutionRevertedError({ message: 'execution reverted' })
  const silent = new ChainUnreachableError('no answer', { hint: '' })
  for (const error of [reverted, silent]) expect(await askEndpoints(endpoints, failing(error))).toEqual(['http://a'])
  await expect(askEndpoints(endpoints.slice(1), failing(reverted))).rejects.toMatchObject({
    code: 'CHAIN_UNREACHABLE',
    message: expect.stringContaining('http://b says of a call that cannot revert that it does'),
  })
})

test('an endpoint without the state of the block is not: another that lags would be believed alone', async () => {
  const gone = new StateUnavailableError('no state', { hint: '' })
  await expect(askEndpoints(endpoints, failing(gone))).rejects.toBe(gone)
})
