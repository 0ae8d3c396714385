import assert from 'node:assert/strict'
import type { Hex } from 'viem'
import { leafHash } from '../../../node/src/core/leaf.ts'
import { merkleProof, merkleRoot } from '../../../node/src/core/merkle.ts'
import type { SeededRandom } from '../../../node/src/environments/seededRandom.ts'
import { hashOf, type Member, type Swarm } from '../openSwarm.ts'

/** Leaves that a peer commits. */
export const LEAVES = 3

/** What all proposers draw from, so that they propose the same. */
export const TASKS = [0, 1, 2].map(at => hashOf(`task ${at}`))

const some = hashOf('some')

interface Leaf {
  readonly index: number
  readonly taskHash: Hex
  readonly policyHash: Hex
  readonly seed: Hex
  readonly bodyHash: Hex
}

/** A proposer's root for a round. */
export interface Proposal {
  readonly proposer: Member
  readonly leaves: readonly Leaf[]
  readonly hashes: readonly Hex[]
  readonly tasks: { readonly root: Hex; readonly count: number; readonly contentId: Hex }
  readonly blockNumber: bigint
  /** Two of its leaves are one task, or in one place. */
  readonly isFaulty: boolean
  /** Whether that was shown to the chain. */
  isShown: boolean
}

/** A peer's leaves answer the tasks by turns, the first by its own key. */
export function workOf({ chainId }: Swarm, round: bigint, peerKey: Hex) {
  const leaves = Array.from({ length: LEAVES }, (_, index): Leaf => {
    const taskHash = TASKS[(index + Number(BigInt(peerKey) % 3n)) % TASKS.length] as Hex
    return { index, taskHash, policyHash: some, seed: some, bodyHash: some }
  })
  const hashes = leaves.map(leaf => leafHash({ chainId, round: Number(round), peerKey, ...leaf }))
  return { root: merkleRoot(hashes), leafCount: LEAVES, policyHash: some, contentId: some, leaves, hashes }
}

/** Three proposers commit to some of the tasks, in random order; some of them to one twice. */
export async function proposeTasks(
  { commitments, client, chainId, peers }: Swarm,
  round: bigint,
  random: SeededRandom,
): Promise<Proposal[]> {
  const proposals: Proposal[] = []
  for (const proposer of random.shuffled(peers.slice(0, 3))) {
    const chosen = random.shuffled(TASKS).slice(0, random.between(2, 3))
    const isFaulty = random.chance(0.4)
    if (isFaulty) chosen.push(chosen[0] as Hex)
    const leaves = chosen.map((taskHash, index) => ({ index, taskHash, policyHash: some, seed: some, bodyHash: some }))
    const hashes = leaves.map(leaf => leafHash({ chainId, round: Number(round), peerKey: proposer.key, ...leaf }))
    const tasks = { root: merkleRoot(hashes), count: leaves.length, contentId: some }
    const { key, account } = proposer
    const hash = await commitments.write.commitTasks([round, key, tasks.root, tasks.count, tasks.contentId], {
      account,
    })
    const { blockNumber } = await client.getTransactionReceipt({ hash })
    proposals.push({ proposer, leaves, hashes, tasks, blockNumber, isFaulty, isShown: false })
  }
  return proposals
}

/** Shows the first and the last of a root's leaves. @returns whether they were found to be at fault, and had not been. */
export async function challengeRoot({ openings }: Swarm, round: bigint, proposal: Proposal): Promise<boolean> {
  const { leaves, hashes, tasks, proposer } = proposal
  const last = leaves.length - 1
  const fault = {
    ...{ round, proposerKey: proposer.key, tasks },
    first: leaves[0] as Leaf,
    firstProof: merkleProof(hashes, 0),
    second: leaves[last] as Leaf,
    secondProof: merkleProof(hashes, last),
  }
  const isFound = await openings.write.challengeTasks([fault]).then(
    () => true,
    () => false,
  )
  assert.equal(isFound, proposal.isFaulty && !proposal.isShown)
  proposal.isShown ||= isFound
  return isFound
}

/** The words of a claim: that a peer's leaf answers a task of a proposal. */
export function claimOf(
  swarm: Swarm,
  { round, shard, peerKey, leaf }: { round: bigint; shard: number; peerKey: Hex; leaf: number },
  { proposer, leaves: proposed, hashes: roots, tasks }: Proposal,
  at: number,
) {
  const { leaves, hashes, ...work } = workOf(swarm, round, peerKey)
  return {
    ...{ round, shard, peerKey, work, proposerKey: proposer.key, tasks },
    leaf: leaves[leaf] as Leaf,
    leafProof: merkleProof(hashes, leaf),
    task: proposed[at] as Leaf,
    taskProof: merkleProof(roots, at),
  }
}
