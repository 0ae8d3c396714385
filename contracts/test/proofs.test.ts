import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { network } from 'hardhat'
import { BaseError, bytesToHex, ContractFunctionRevertedError } from 'viem'
import { voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { merkleProof, merkleRoot } from '../../node/src/core/merkle.ts'
import { leafHash } from '../../node/src/core/payloads/leaf.ts'
import { drawCommittee, sampledLeaves } from '../../node/src/roles/draws/drawCommittee.ts'
import { deployContracts } from './deployContracts.ts'

const word = () => bytesToHex(randomBytes(32))
const { viem, networkHelpers } = await network.create()
const startsAtSec = Number((await (await viem.getPublicClient()).getBlock()).timestamp) - 45_000
const { client, chainId, commitments, rounds, votes } = await deployContracts(viem, {
  startsAtSec,
  roundSeconds: 20_000,
})

test('a leaf computed off chain is the leaf computed on chain', async () => {
  for (let index = 0; index < 16; index++) {
    const place = { chainId, round: index * 1_000_003, peerKey: word() }
    const leaf = { index, taskHash: word(), policyHash: word(), seed: word(), bodyHash: word() }
    const onChain = await commitments.read.leafOf([BigInt(place.round), place.peerKey, leaf])
    assert.equal(onChain, leafHash({ ...place, ...leaf }))
  }
})

test('the chain accepts every proof of trees of 1 to 20 leaves, and no proof for another leaf', async () => {
  for (let size = 1; size <= 20; size++) {
    const leaves = Array.from({ length: size }, word)
    const root = merkleRoot(leaves)
    for (const index of new Set([0, size >> 1, size - 1])) {
      const proof = merkleProof(leaves, index)
      assert(await commitments.read.verifyLeaf([root, leaves[index] ?? word(), proof]))
      assert(!(await commitments.read.verifyLeaf([root, word(), proof])))
    }
  }
})

test('the leaves that are scored are drawn alike off chain and on chain', async () => {
  await rounds.write.fixBeacon([1n])
  await networkHelpers.mine(1)
  await rounds.write.drawBeacon([1n])
  const beacon = await rounds.read.beaconOf([1n])
  for (const [owed, count] of [
    [0, 4],
    [1, 1],
    [4, 4],
    [5, 9],
    [64, 32],
    [4096, 100],
  ] as const) {
    const peerKey = word()
    const onChain = await commitments.read.sampledLeaves([1n, peerKey, owed, count])
    const spec = { owedLeaves: owed, sampledLeaves: count }
    assert.deepEqual(onChain, sampledLeaves(chainId, 1, beacon, peerKey, spec))
  }
})

test('a commitment to votes computed off chain is the hash that the chain compares', async () => {
  // Nobody committed anything in round 0: a ballot on it is empty, and the refusal names the hash that was expected.
  for (const position of [0, 4]) {
    const ballot = { round: 0n, shard: 3, position, evaluatorKey: word(), scoresMilli: [], componentRoots: [] }
    const votesOn = { ...ballot, contentId: word() }
    const salt = word()
    const hash = voteCommitment({ chainId, rewardVotes: votes.address }, votesOn, salt)
    const reveal = client.simulateContract({ ...votes, functionName: 'revealVotes', args: [votesOn, salt] })
    await assert.rejects(reveal, error => {
      assert(error instanceof BaseError)
      const refusal = error.walk(cause => cause instanceof ContractFunctionRevertedError)
      assert(refusal instanceof ContractFunctionRevertedError)
      assert.equal(refusal.data?.errorName, 'RewardVotes_NotCommitment')
      assert.equal(refusal.data.args?.[2], hash)
      return true
    })
  }
})

test('a committee is drawn alike off chain and on chain', async () => {
  for (let seats = 0; seats < 9; seats++) await votes.write.admitEvaluator([word()])
  const round = (await rounds.read.currentRound()) + 1n
  await networkHelpers.time.increaseTo(await rounds.read.startOf([round + 1n]))
  await rounds.write.fixBeacon([round])
  await networkHelpers.mine(1)
  await rounds.write.drawBeacon([round])
  const [beacon, seated] = [await rounds.read.beaconOf([round]), await votes.read.seatsAt([round])]
  for (let shard = 0; shard < 20; shard++)
    assert.deepEqual(
      await votes.read.committeeOf([round, shard]),
      drawCommittee(chainId, Number(round), beacon, shard, seated),
    )
})
