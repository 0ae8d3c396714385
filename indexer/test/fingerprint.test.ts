import { eachContract } from '@waggle/deployments/contractNames'
import type { Deployment } from '@waggle/deployments/record'
import { expect, test } from 'vitest'
import { fingerprint } from '../launch/fingerprint.ts'

const contract = { address: '0x0000000000000000000000000000000000000001', startBlock: 1 } as const
const deployment: Deployment = {
  network: 'local',
  chainId: 31_337,
  contracts: eachContract(() => contract),
}
const origin = { deployment, firstBlockHash: '0xaa' } as const

test('the same origin has the same name, which fits a database schema', () => {
  expect(fingerprint(origin)).toBe(fingerprint(structuredClone(origin)))
  expect(fingerprint(origin)).toMatch(/^waggle_[0-9a-f]{16}$/)
})

test('a chain that was reset, another address and another chain have names of their own', () => {
  const contracts = { ...deployment.contracts, Rounds: { ...contract, startBlock: 2 } }
  const names = [
    fingerprint(origin),
    fingerprint({ ...origin, firstBlockHash: '0xbb' }),
    fingerprint({ ...origin, deployment: { ...deployment, contracts } }),
    fingerprint({ ...origin, deployment: { ...deployment, chainId: 11_155_111 } }),
  ]
  expect(new Set(names).size).toBe(names.length)
})
