import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { network } from 'hardhat'
import { bytesToHex, getContract, keccak256, parseAbi, toHex } from 'viem'
import type { Beacon, PeerKey, Seed } from '../../node/src/core/hashes.ts'
import { commonFields } from '../../node/src/environments/environmentSpec.ts'
import { drawIndices } from '../../node/src/roles/draws/drawIndices.ts'
import { drawAmong } from '../../node/src/roles/draws/drawOpening.ts'
import { roundSeed } from '../../node/src/roles/draws/roundSeed.ts'

const [ZERO, ONE, HIGHEST] = [toHex(0n, { size: 32 }), toHex(1n, { size: 32 }), `0x${'ff'.repeat(32)}`] as const
const any = bytesToHex(randomBytes(32))
const seeds = [ZERO, ONE, HIGHEST, keccak256('0x'), any] as Seed[]
const { viem } = await network.create()
const client = await viem.getPublicClient()
const chainId = await client.getChainId()
const account = `0x${'11'.repeat(20)}` as const
const { address } = await viem.deployContract('DrawsProbe' as never)
const abi = parseAbi([
  'function seedOf(string purpose, uint64 round, bytes32 beacon, bytes32 subject) view returns (bytes32)',
  'function distinct(uint256 total, uint256 count, bytes32 seed) view returns (uint32[])',
  'function distinctOfPool(uint256 total, uint256 count, bytes32 seed) view returns (uint32[])',
  'function among(uint32 places, bytes32 seed) view returns (uint32)',
])
const { read } = getContract({ abi, address, client })

/** Around the sizes of a committee, a jury, a bench of candidates, a shard and a word, and those of larger swarms. */
const totals = [0, 1, 2, 4, 5, 6, 10, 11, 12, 22, 23, 24, 31, 32, 33, 63, 64, 65, 255, 256, 257, 4095, 4096, 65_537]

test('numbers are drawn alike off chain and on chain, whatever the total and the count', async () => {
  for (const total of totals)
    for (const count of new Set([0, 1, 4, 5, 11, 23, 32, 64, total - 1, total, total + 1]))
      if (count >= 0 && count <= 96)
        for (const seed of [ZERO, HIGHEST, any] as Seed[]) {
          const onChain = await read.distinct([BigInt(total), BigInt(count), seed])
          assert.deepEqual(onChain, drawIndices(total, count, seed), `${count} of ${total} by ${seed}`)
          // The gas of a call does not reach for more.
          if (total <= 4096)
            assert.deepEqual(await read.distinctOfPool([BigInt(total), BigInt(count), seed]), onChain, 'by a pool')
        }
})

test('all of a pool are drawn in the same order, and so is one who asks for more than there are', async () => {
  for (const [total, count] of [
    [256, 256],
    [257, 258],
  ] as const) {
    const drawn = drawIndices(total, count, seeds[3] as Seed)
    assert.deepEqual(await read.distinct([BigInt(total), BigInt(count), seeds[3] as Seed]), drawn)
    assert.equal(new Set(drawn).size, total)
  }
  const more = drawIndices(5, Number.MAX_SAFE_INTEGER, HIGHEST as Seed)
  assert.deepEqual(await read.distinct([5n, 2n ** 256n - 1n, HIGHEST]), more)
})

test('one of some places is drawn alike: of one, of all, and of either end', async () => {
  const single = Array.from({ length: 32 }, (_, place) => [place])
  const sets = [...single, single.flat(), [0, 31], [0, 1], [30, 31], [5, 16, 17]]
  for (const places of sets)
    for (const seed of seeds) {
      const bits = places.reduce((word, place) => word + 2 ** place, 0)
      assert.equal(await read.among([bits, seed]), drawAmong(new Set(places), seed), `${places} by ${seed}`)
    }
})

test('seeds are alike for the first and the last round, and for any beacon and subject', async () => {
  const purposes = ['committee', 'sample', 'opening', 'rollout', 'appeal'] as const
  for (const purpose of purposes)
    for (const round of [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER])
      for (const [beacon, subject] of [
        [ZERO, ZERO],
        [HIGHEST, ONE],
        [keccak256('0x'), HIGHEST],
      ] as const) {
        const onChain = await read.seedOf([`waggle ${purpose}`, BigInt(round), beacon, subject])
        assert.equal(onChain, roundSeed(purpose, chainId, round, beacon as Beacon, subject as PeerKey))
      }
})

test('the last leaf that an environment can have drawn can be demanded: its draw fits a transaction', async () => {
  const most = commonFields.sampledLeaves.maxValue ?? Number.POSITIVE_INFINITY
  // Of EIP-7825; a demand takes some 250,000 more.
  const draw = { abi, address, functionName: 'distinct', args: [4096n, BigInt(most), ONE] } as const
  assert((await client.estimateContractGas({ ...draw, account })) < 2n ** 24n - 500_000n)
})
