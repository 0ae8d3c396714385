import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { decodeTaskBundle, leavesOf, rolloutHeaders, taskHeaders } from '#core/bodies.ts'
import { merkleProof } from '#core/merkle.ts'
import { SHARD_PEERS, shardsOf } from '../drawCommittee.ts'
import { drawOpening } from '../drawOpening.ts'
import { fetchRollouts } from '../fetchCommitted.ts'
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
  if (drawing === null || tasks === undefined || !bytes) return
  const bundle = decodeTaskBundle(bytes)
  const headers = taskHeaders(bundle)
  for (const [shard, peers] of shardsOf(await chain.readRolloutCommitments(round)).entries()) {
    const agreed = await chain.readAgreedLeaf(round, shard)
    if (agreed === null || agreed.medianMilli % 1000 === 0) continue
    const { ordinal } = drawOpening(chainId, round, drawing, shard, peers.length)
    const commitment = peers[ordinal % SHARD_PEERS] as RolloutCommitment
    const rollouts = await fetchRollouts(node, round, commitment, signal)
    const leaf = typeof rollouts === 'string' ? undefined : rolloutHeaders(rollouts)[agreed.index]
    const task = headers.find(({ taskHash }) => taskHash === leaf?.taskHash)
    if (typeof rollouts === 'string' || leaf === undefined || task === undefined) continue
    const leafProof = merkleProof(leavesOf(rollouts), leaf.index)
    const taskProof = merkleProof(leavesOf(bundle), task.index)
    const outcome = await chain.claimTask({ shard, commitment, leaf, leafProof, tasks, task, taskProof })
    reportOutcome(logger, 'task claimed', outcome, { round, shard, task: task.index })
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
