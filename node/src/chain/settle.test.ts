import { decodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { contractsOf } from './contracts.ts'
import { SETTLE_PAGE_PEERS, settle } from './settle.ts'

const contract = { address: `0x${'11'.repeat(20)}`, startBlock: 0 } as const
const contracts = contractsOf({
  network: 'test',
  chainId: 31337,
  contracts: { PeerRegistry: contract, Rounds: contract, RolloutCommitments: contract, RewardVotes: contract },
})
const peers = Array.from({ length: 130 }, (_, i): Hex => `0x${i.toString(16).padStart(64, '0')}`)

test('every peer is on one page, and the pages are due in the third round after', () => {
  const intents = settle(contracts, 7, peers)
  expect(intents).toHaveLength(Math.ceil(peers.length / SETTLE_PAGE_PEERS))
  const settled = intents.flatMap(({ data }) => {
    const { args } = decodeFunctionData({ abi: contracts.rewardVotes.abi, data })
    return args?.[1] as Hex[]
  })
  expect(settled).toEqual(peers)
  expect(intents.every(({ fromRound, throughRound }) => fromRound === 10 && throughRound === 10)).toBe(true)
  expect(new Set(intents.map(({ key }) => key)).size).toBe(intents.length)
})

test('nobody to settle is nothing to send', () => {
  expect(settle(contracts, 7, [])).toEqual([])
})
