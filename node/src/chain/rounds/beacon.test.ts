import { reorganisedBlocksOf } from '@waggle/deployments/networks'
import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { beaconStates, readBeacon } from './beacon.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [BLOCK, FORK] = [100n, word('f0')]

/** A chain whose beacon of a round lies in block 100. */
function setup(network: string, chainId: number, state: (typeof beaconStates)[number], head: bigint) {
  const heads = { recent: async () => ({ number: Number(head) }) }
  const rpc = {
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'beaconStateOf' ? [beaconStates.indexOf(state), BLOCK] : FORK,
    getBlock: async () => ({ hash: FORK }),
  }
  const contracts = { rounds: {}, reorganisedBlocks: reorganisedBlocksOf({ network, chainId }) }
  return readBeacon({ rpc, rpcUrl: '', heads } as unknown as FollowedChain, contracts as unknown as Contracts, 7)
}

const SEPOLIA = 11_155_111

test('a beacon is reported once its block is deeper than reorganisations of its chain, recorded or not', async () => {
  for (const state of ['fixed', 'drawn'] as const) {
    expect(await setup('sepolia', SEPOLIA, state, BLOCK + 2n)).toEqual({
      state,
      hash: null,
      fromBlock: Number(BLOCK) + 3,
    })
    expect(await setup('sepolia', SEPOLIA, state, BLOCK + 3n)).toEqual({ state, hash: FORK })
  }
})

test('a local swarm’s chain forgets its last blocks when it is killed, and one that a test mines forgets none', async () => {
  expect(await setup('local', 31_337, 'fixed', BLOCK + 1n)).toMatchObject({ state: 'fixed', hash: null })
  expect(await setup('local', 31_337, 'fixed', BLOCK + 2n)).toEqual({ state: 'fixed', hash: FORK })
  expect(await setup('test', 31_337, 'fixed', BLOCK - 1n)).toMatchObject({ state: 'fixed', hash: null })
  expect(await setup('test', 31_337, 'fixed', BLOCK)).toEqual({ state: 'fixed', hash: FORK })
})

test('on an unknown chain it waits for as many blocks as on Ethereum', async () => {
  expect(await setup('mine', 5, 'drawn', BLOCK + 2n)).toMatchObject({ state: 'drawn', hash: null })
  expect(await setup('mine', 5, 'drawn', BLOCK + 3n)).toEqual({ state: 'drawn', hash: FORK })
})
