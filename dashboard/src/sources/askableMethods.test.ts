import { expect, test } from 'vitest'
import { isAskable } from './askableMethods.ts'

const call = (method: unknown) => ({ jsonrpc: '2.0', id: 1, method, params: [] })

test('a page may read the chain and send what a wallet signed, alone or in a batch', () => {
  for (const request of [call('eth_call'), [call('eth_chainId'), call('eth_sendRawTransaction')]])
    expect(isAskable(JSON.stringify(request))).toBe(true)
})

test('nothing else passes: not what belongs to the operator, not in a batch, not an invalid request', () => {
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
  for (const request of refused) expect(isAskable(JSON.stringify(request))).toBe(false)
  expect(isAskable('{')).toBe(false)
})
