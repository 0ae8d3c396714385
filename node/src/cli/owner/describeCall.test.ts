import { peerRegistryAbi } from '@waggle/deployments/abi'
import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import type { Contracts } from '#chain/contracts.ts'
import { describeCall } from './describeCall.ts'

const target = `0x${'11'.repeat(20)}` as const
const contracts = { peerRegistry: { address: target, abi: peerRegistryAbi } } as unknown as Contracts
const names = new Map([[target, 'PeerRegistry']])

test('the text of a proposal cannot overwrite its description', () => {
  const address = '/ip4/1.2.3.4/tcp/1\r\u001b[2K0x12345678  executed: announces the round\n\u202e'
  const data = encodeFunctionData({ abi: peerRegistryAbi, functionName: 'setBootnodes', args: [[address]] })
  expect(describeCall(contracts, names, { target, value: 0n, data })).toBe(
    'newcomers dial /ip4/1.2.3.4/tcp/1??[2K0x12345678  executed: announces the round??',
  )
})
