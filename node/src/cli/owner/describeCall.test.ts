import { peerRegistryAbi, rewardVotesAbi } from '@waggle/deployments/abi'
import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import type { Contracts } from '#chain/contracts.ts'
import { peerName } from '#core/peers/peerName.ts'
import { describeCall, peersOf } from './describeCall.ts'

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

test('a seat is told by the peer id that its operator knows, and a key that is not registered is said to be one', () => {
  const key = `0x${'38'.repeat(32)}` as const
  const data = encodeFunctionData({ abi: rewardVotesAbi, functionName: 'admitEvaluator', args: [key] })
  const votes = { rewardVotes: { address: target, abi: rewardVotesAbi } } as unknown as Contracts
  const told = (peerIds: Map<typeof key, string>) =>
    describeCall(votes, new Map([[target, 'RewardVotes']]), { target, value: 0n, data }, peerIds)
  expect(peersOf(rewardVotesAbi, { data })).toEqual([key])
  expect(told(new Map([[key, '16Uiu2HAmPeer']]))).toBe(
    `gives the peer ${peerName('16Uiu2HAmPeer')} (16Uiu2HAmPeer) a seat of the bootstrap`,
  )
  expect(told(new Map())).toBe(`gives the peer ${key} (not registered) a seat of the bootstrap`)
})
