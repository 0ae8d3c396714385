import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { rolloutLeaf, taskHash, taskHeader } from '#core/bodies.ts'
import { proofIn } from '#core/merkle.ts'
import { SHARD_PEERS, shardsOf } from '../drawCommittee.ts'
import { drawOpening } from '../drawOpening.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { beaconOf } from '../roundBeacon.ts'

/** Claims the pay for this proposer's tasks that the drawn leaves of a round answer. */
export async function claimTasks(node: PeerNode, round: number, signal: AbortSignal): Promise<void> {
  if (round < 0) return
  const { chain, chainId, identity, logger } = node
  const drawing = await beaconOf(node, round + 2)
  const tasks = (await chain.readTaskCommitments(round)).find(({ peerKey }) => peerKey === identity.peerKey)
  const bytes = tasks && (await node.bundles.get(tasks.contentId))
  const own = bytes && (await node.bodies.open('tasks', bytes))
  if (drawing === null || tasks === undefined || !own) return
  for (const [shard, peers] of shardsOf(await chain.readRolloutCommitments(round)).entries()) {
    const agreed = await chain.readAgreedLeaf(round, shard)
    if (agreed === null || agreed.medianMilli % 1000 === 0) continue
    const { ordinal } = drawOpening(chainId, round, drawing, shard, peers.length)
    const commitment = peers[ordinal % SHARD_PEERS] as RolloutCommitment
    const answer = await fetchRolloutsOf(node, round, commitment, signal, ({ body, tree }) => {
      const leaf = rolloutLeaf(body, agreed.index)?.header
      const answered = own.body.tasks.find(task => taskHash(task) === leaf?.taskHash)
      if (leaf === undefined || answered === undefined) return null
      const task = taskHeader(own.body, answered)
      return { leaf, leafProof: proofIn(tree, leaf.index), task, taskProof: proofIn(own.tree, task.index) }
    })
    if (!answer.ok || answer.value === null) continue
    const outcome = await chain.claimTask({ shard, commitment, tasks, ...answer.value })
    reportOutcome(logger, 'task claimed', outcome, { round, shard, task: answer.value.task.index })
  }
}

/** Has this proposer paid what it claimed of a round. */
export async function payTasks({ chain, identity, logger }: PeerNode, round: number): Promise<void> {
  if (round < 0) return
  for (const shard of shardsOf(await chain.readRolloutCommitments(round)).keys()) {
    const claim = await chain.readTaskClaim(round, shard)
    if (claim?.proposerKey !== identity.peerKey) continue
    const { amountWei } = claim
    reportOutcome(logger, 'task paid', await chain.payTask(round, shard), {
      round,
      shard,
      amountWei: String(amountWei),
    })
  }
}
