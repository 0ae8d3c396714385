import type { Hex } from 'viem'
import { merkleProof } from '../../../node/src/core/merkle.ts'
import { judgeBundle, type Leaf } from './bundles.ts'
import type { Commitment, Game } from './game.ts'
import { POLICY, type Swarm } from './openSwarm.ts'

/** Worth of the leaves that the round's beacon has drawn to be scored. */
export async function judgeAll({ swarm, setting, committed }: Game, round: number): Promise<void> {
  const beacon = await beaconBefore(swarm, round)
  for (const commitment of committed.get(round) ?? []) {
    const { peer, bundle } = commitment
    const { worth, falseLeaf } = await judgeBundle(swarm, peer, round, beacon, bundle, setting.rules)
    commitment.worth = worth
    if (falseLeaf !== null) await challengeFalseLeaf(swarm, round, commitment, falseLeaf)
  }
}

/** The beacon that the work of a round follows from. */
export async function beaconBefore(swarm: Swarm, round: number): Promise<Hex> {
  return round === 0 ? `0x${'00'.repeat(32)}` : swarm.rounds.read.beaconOf([BigInt(round - 1)])
}

/** Shows a false leaf to the chain, as anyone may. A chain without that defence refuses. */
async function challengeFalseLeaf(
  { challenges, send, admin }: Swarm,
  round: number,
  { peer, bundle }: Commitment,
  leaf: Leaf,
): Promise<void> {
  const work = { root: bundle.root, leafCount: bundle.leaves.length, policyHash: POLICY, contentId: POLICY }
  const args = [BigInt(round), peer.key, work, leaf, merkleProof(bundle.hashes, leaf.index)] as const
  await send(admin, challenges.address, { abi: challenges.abi, functionName: 'challengeLeaf', args })
}

export async function settleRound({ votes, send, admin }: Swarm, round: number, peers: readonly Commitment[]) {
  const args = [BigInt(round), 0, peers.map(({ peer }) => peer.key)] as const
  await send(admin, votes.address, { abi: votes.abi, functionName: 'settle', args })
}
