import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { eachContract } from '@waggle/deployments/contractNames'
import type { Deployment } from '@waggle/deployments/record'
import { expect, test } from 'vitest'
import { fingerprint, inputFiles } from '../launch/fingerprint.ts'

const require = createRequire(import.meta.url)

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

test('the code of peers that an index calls is part of its name', () => {
  const inputs = new Set(inputFiles())
  const core = dirname(require.resolve('@waggle/node/core/redactUrls'))
  const imports = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type ).*? from '([^']+)'/gms)].flatMap(([, id]) => {
      if (id?.startsWith('@waggle/node/')) return [require.resolve(id)]
      return id?.startsWith('.') && file.startsWith(core) ? [join(dirname(file), id)] : []
    })
  const called = [...inputs].filter(file => file.endsWith('.ts')).flatMap(imports)
  expect(called).toContain(require.resolve('@waggle/node/core/taskProposal'))
  expect(called.filter(file => !inputs.has(file))).toEqual([])
})
