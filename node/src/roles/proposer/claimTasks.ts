import { phase } from '@waggle/deployments/protocol'
import { proofIn } from '#core/merkle.ts'
import { rolloutLeaf } from '#core/payloads/payloads.ts'
import { shardsOf } from '../draws/drawCommittee.ts'
import { drawOpening } from '../draws/drawOpening.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Claims this proposer's pay for tasks that the drawn leaves of a round answer. */
export async function claimTasks(node: PeerNode, round: number, signal: AbortSignal): Promise<void> {
  if (round < 0) return
  const { chain, chainId, identity, logger } = node
  const proposerKey = identity.peerKey
  const drawing = await beaconOf(node, round + phase.revealing)
  const isProposer = (await chain.readProposals(round)).some(({ peerKey }) => peerKey === proposerKey)
  if (drawing === null || !isProposer) return
  const settlements = await chain.readSettlements(round)
  for (const [shard, peers] of shardsOf(await chain.readRolloutCommitments(round)).entries()) {
    const agreed = await chain.readAgreedLeaf(round, shard)
    if (agreed === null || agreed.medianMilli % 1000 === 0) continue
    const drawn = drawOpening(chainId, round, drawing, shard, peers, settlements)
    if (drawn === null) continue
    const { commitment } = drawn
    const answer = await fetchRolloutsOf(node, round, commitment, signal, ({ payload, tree }) => {
      const leaf = rolloutLeaf(payload, agreed.index)
      if (leaf?.taskRef.peerKey !== proposerKey) return null
      return { leaf: leaf.header, leafProof: proofIn(tree, agreed.index), taskIndex: leaf.taskRef.index }
    })
    if (!answer.ok || answer.value === null) continue
    const outcome = await chain.claimTask({ shard, commitment, proposerKey, ...answer.value })
    reportOutcome(logger, 'task paid', outcome, { round, shard, task: answer.value.taskIndex })
  }
}
