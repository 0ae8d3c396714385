import { rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import { decodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { abiWords, keccak } from '#core/keccak.ts'
import type { Contracts } from '../contracts.ts'
import { commitSecret, proposalSecret, propose } from './proposals.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const contracts = {
  chainId: 31_337,
  rolloutCommitments: { address: `0x${'0a'.repeat(20)}`, abi: rolloutCommitmentsAbi },
} as unknown as Contracts
const peerKey = word('01')
const accountKey = word('02')

const argsOf = (data: Hex) => decodeFunctionData({ abi: rolloutCommitmentsAbi, data }).args as readonly unknown[]
const hashOf = (secret: unknown) => keccak(abiWords([secret as Hex]))

test('each proposal shows the secret that the one before committed to, and the first the one that was committed alone', () => {
  const tasks = { peerKey, count: 1, bytes: Uint8Array.of(7), isLast: false }
  const [, , start] = argsOf(commitSecret(contracts, accountKey, { round: 5, peerKey }).data)
  const [first, second] = [5, 6].map(round => argsOf(propose(contracts, accountKey, { ...tasks, round }).data))
  expect(hashOf(first?.[2])).toBe(start)
  expect(hashOf(second?.[2])).toBe(first?.[5])
  expect(first?.slice(3, 5)).toEqual([1, '0x07'])
  expect(argsOf(propose(contracts, accountKey, { ...tasks, round: 6, isLast: true }).data)[5]).toBe(ZERO_HASH)
})

test('a secret is the same after a restart, and nobody has it who has no key', () => {
  const place = { round: 5, peerKey }
  const secret = proposalSecret(accountKey, contracts, place)
  expect(proposalSecret(accountKey, contracts, place)).toBe(secret)
  const others = [
    proposalSecret(word('03'), contracts, place),
    proposalSecret(accountKey, contracts, { ...place, round: 6 }),
    proposalSecret(accountKey, contracts, { ...place, peerKey: word('04') }),
    proposalSecret(accountKey, { ...contracts, chainId: 1 }, place),
  ]
  expect(new Set([secret, ...others]).size).toBe(5)
  // The commitment a round ahead does not reveal it.
  expect(commitSecret(contracts, accountKey, place).data).not.toContain(secret.slice(2))
})
