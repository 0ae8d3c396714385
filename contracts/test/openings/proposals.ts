import { type Hex, keccak256, stringToHex } from 'viem'
import { encodeCanonical } from '../../../node/src/core/canonical.ts'
import { merkleProof, merkleRoot } from '../../../node/src/core/merkle.ts'
import { leafHash } from '../../../node/src/core/payloads/leaf.ts'
import { taskHash } from '../../../node/src/core/payloads/taskProposal.ts'
import type { SeededRandom } from '../../../node/src/environments/seededRandom.ts'
import { hashOf, type Member, type Swarm } from '../openSwarm.ts'

/** Leaves that a peer owes and commits, and how many of them are scored. */
export const LEAVES = 3
export const SAMPLED = 2
export const SPECIFICATION = encodeCanonical({ owedLeaves: LEAVES, sampledLeaves: SAMPLED })

const some = hashOf('some')

interface Leaf {
  readonly index: number
  readonly taskHash: Hex
  readonly policyHash: Hex
  readonly seed: Hex
  readonly bodyHash: Hex
}

/** A proposer's data of a round. */
export interface Proposal {
  readonly proposer: Member
  /** Tasks; 0 where it withheld its secret. */
  readonly count: number
  /** Whether that was shown to the chain. */
  isShown: boolean
}

/** A peer's leaves answer a task of each proposer by turns, beginning by the peer's key; some of an index that was not proposed. */
export function workOf({ chainId, peers }: Swarm, round: bigint, peerKey: Hex) {
  const by = Number(BigInt(peerKey) % 9n)
  const leaves = Array.from({ length: LEAVES }, (_, index): Leaf => {
    const { key } = peers[(index + by) % 3] as Member
    return {
      ...{ index, policyHash: some, seed: some, bodyHash: some },
      taskHash: taskHash({ peerKey: key, index: taskIndexOf(peerKey) }),
    }
  })
  const hashes = leaves.map(leaf => leafHash({ chainId, round: Number(round), peerKey, ...leaf }))
  return { root: merkleRoot(hashes), leafCount: LEAVES, policyHash: some, contentId: some, leaves, hashes }
}

/** The task of a proposal that a peer's leaves answer. */
export const taskIndexOf = (peerKey: Hex) => Number((BigInt(peerKey) >> 8n) % 3n)

/** Three proposers commit to secrets, two rounds ahead. */
export async function commitSecrets({ commitments, peers }: Swarm, round: bigint): Promise<void> {
  for (const { key, account } of peers.slice(0, 3))
    await commitments.write.commitSecret([round, key, keccak256(hashOf(`secret ${round}`))], { account })
}

/** They propose one to three tasks, in random order; some withhold them. */
export async function proposeTasks(swarm: Swarm, round: bigint, random: SeededRandom): Promise<Proposal[]> {
  const proposals: Proposal[] = []
  for (const proposer of random.shuffled(swarm.peers.slice(0, 3))) {
    const count = random.chance(0.3) ? 0 : random.between(1, 3)
    const { key, account } = proposer
    const secret = hashOf(`secret ${round}`)
    if (count > 0)
      await swarm.commitments.write.propose([round, key, secret, count, stringToHex('tasks'), hashOf('none')], {
        account,
      })
    proposals.push({ proposer, count, isShown: false })
  }
  return proposals
}

/** Challenges a proposer's secret. @returns whether it was found to be withheld, and had not been. */
export async function challengeSecret({ openings }: Swarm, round: bigint, proposal: Proposal): Promise<boolean> {
  const isFound = await openings.write.challengeSecret([round, proposal.proposer.key]).then(
    () => true,
    () => false,
  )
  proposal.isShown ||= isFound
  return isFound
}

/** The words of a claim: that a peer's leaf answers a task of a proposer. */
export function claimOf(
  swarm: Swarm,
  { round, shard, peerKey, leaf }: { round: bigint; shard: number; peerKey: Hex; leaf: number },
  proposerKey: Hex,
) {
  const { leaves, hashes, ...work } = workOf(swarm, round, peerKey)
  return {
    ...{ round, shard, peerKey, work, proposerKey, taskIndex: taskIndexOf(peerKey) },
    leaf: leaves[leaf] as Leaf,
    leafProof: merkleProof(hashes, leaf),
  }
}
