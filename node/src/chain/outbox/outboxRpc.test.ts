import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import { clientOf } from '../clientOf.ts'
import { createEndpoint } from '../guard/endpoint.ts'
import { requestOnce } from '../guard/requestOnce.ts'
import { createOutboxRpc, gasLimitFor } from './outboxRpc.ts'

/** The outbox's view of an endpoint that refuses a method, and answers any other with 5. */
function refusing(refused: string, error: { code: number; message: string }) {
  const fetchFn: typeof fetch = async (_, init) => {
    const { id, method } = JSON.parse(String(init?.body))
    return Response.json({ jsonrpc: '2.0', id, ...(method === refused ? { error } : { result: '0x5' }) })
  }
  const rpc = clientOf(requestOnce([createEndpoint('https://one.example', { fetchFn })], systemClock))
  return createOutboxRpc({ rpc, rpcUrl: 'https://one.example' }, privateKeyToAccount(`0x${'01'.repeat(32)}`), 7)
}

test.each([
  { code: -32000, message: 'insufficient funds for transfer' },
  { code: -32000, message: 'insufficient sender balance' },
  { code: -32004, message: 'Upfront cost exceeds account balance' },
  { code: -32015, message: 'InsufficientFunds, Account balance: 5, cumulative cost: 9' },
  { code: -32000, message: 'Cannot estimate gas, gas spent exceeded transaction and block gas limit' },
  { code: -32603, message: 'Internal error' },
])(
  'an estimate that is refused with "$message" concerns that call, and the balance tells whether it can be paid',
  async error => {
    const { simulate } = refusing('eth_estimateGas', error)
    const call = { to: `0x${'bb'.repeat(20)}`, data: '0x' } as const
    expect(await simulate({ ...call, valueWei: 6n })).toEqual({
      revertedWith: "the account has less than 0.000000000000000006 of the chain's coin",
    })
    expect(await simulate({ ...call, valueWei: 5n })).toEqual({ refused: error.message })
    expect(await simulate(call)).toEqual({ refused: error.message })
  },
)

test.each([
  'intrinsic gas too low',
  'NonceGap, Future nonce. Expected nonce: 5',
  'Transaction fee cap exceeded',
  'txpool is full',
  'oversized data: transaction size 131200, limit 131072',
])('"%s" is an answer to that transaction', async message => {
  const { send } = refusing('eth_sendRawTransaction', { code: -32000, message })
  expect(await send('0x02')).toEqual({ refused: message })
})

test('a limit of requests is not an answer to a call', async () => {
  const limit = { code: -32005, message: 'daily request count exceeded' }
  await expect(refusing('eth_sendRawTransaction', limit).send('0x02')).rejects.toThrow(ChainUnreachableError)
  const simulated = refusing('eth_estimateGas', limit).simulate({ to: `0x${'bb'.repeat(20)}`, data: '0x' })
  await expect(simulated).rejects.toThrow(ChainUnreachableError)
})

test('a reveal that comes to complete a quorum has the gas for it', () => {
  // As measured: 69,567 for the first and the third of three, 93,892 for the second.
  expect(gasLimitFor(69_567n)).toBeGreaterThan(93_892n)
})
