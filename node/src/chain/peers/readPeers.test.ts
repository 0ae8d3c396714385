import { createPublicClient, custom } from 'viem'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import type { Contracts } from '../contracts.ts'
import { readRegistered } from './readPeers.ts'

/** EIP-3860: a call that deploys what it runs is refused above this. */
const MAX_INITCODE_BYTES = 49_152

test('a look-up of hundreds of peers stays below the size of code that a chain deploys', async () => {
  const sizes: number[] = []
  const request = async ({ params }: { params: [{ data: Hex }] }) => {
    sizes.push(params[0].data.length / 2 - 1)
    throw new Error('not answered here')
  }
  const rpc = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const abi = [
    {
      type: 'function',
      name: 'accountOf',
      stateMutability: 'view',
      inputs: [{ type: 'bytes32' }],
      outputs: [{ type: 'address' }],
    },
  ]
  const peerRegistry = { address: `0x${'11'.repeat(20)}`, abi }
  const keys = Array.from({ length: 300 }, (_, at) => `0x${at.toString(16).padStart(64, '0')}` as const)
  const reading = readRegistered({ rpc, rpcUrl: '' }, { peerRegistry } as unknown as Contracts, keys)
  await expect(reading).rejects.toThrow()
  expect(sizes.length).toBe(3)
  expect(Math.max(...sizes)).toBeLessThan(MAX_INITCODE_BYTES)
  // One call of the gossip's look-ups.
  expect(sizes[0]).toBeGreaterThan(128 * 36)
})
