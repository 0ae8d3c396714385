import { expect, test } from 'vitest'
import { askableBody } from './askableMethods.ts'

const call = (method: unknown) => ({ jsonrpc: '2.0', id: 1, method, params: [] })

test('a page may read the chain and send what a wallet signed, alone or in a batch', () => {
  for (const request of [call('eth_call'), [call('eth_chainId'), call('eth_sendRawTransaction')]])
    expect(JSON.parse(askableBody(JSON.stringify(request)) ?? '')).toEqual(request)
})

test('other calls are refused: methods for the operator, batches and invalid requests', () => {
  const refused = [
    call('anvil_setBalance'),
    call('eth_sendTransaction'),

    [call('eth_call'), call('evm_mine')],
    [],
    [[call('eth_call')]],
    Array(51).fill(call('eth_call')),
    null,
    'eth_call',
  ]
  for (const request of refused) expect(askableBody(JSON.stringify(request))).toBeNull()
  expect(askableBody('{')).toBeNull()
})

test('an endpoint that reads keys in another way reads the same methods', () => {
  const { jsonrpc, id, params } = call('eth_call')
  // Go's decoder, and so geth's, takes `Method` for `method`; others take the first of two.
  const disguised = `{"jsonrpc":"2.0","id":1,"method":"debug_setHead","method":"eth_call","Method":"debug_setHead","params":[]}`
  expect(JSON.parse(askableBody(disguised) ?? '')).toEqual({ jsonrpc, id, method: 'eth_call', params })
  expect(askableBody(disguised)).not.toContain('debug_setHead')
})
