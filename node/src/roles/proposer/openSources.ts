import type { PolicyClient } from '#rl/policyClient.ts'
import type { PeerNode } from '../peerNode.ts'
import { openDatasetProposer } from './datasetProposer.ts'
import { proposalsOf } from './proposalsOf.ts'
import { DATASET_POSITION, type TaskSources } from './proposer.ts'

/**
 * What a peer proposes from: a model, unless a dataset gives all of its tasks. The order of the dataset's rows follows from the peer's
 * key, so that proposers of one dataset propose different tasks.
 */
export async function openSources(
  { environment, identity, journal, logger }: PeerNode,
  asked: { path: string; share: number } | undefined,
  openModel: () => Promise<PolicyClient>,
): Promise<TaskSources & { close(): Promise<void> }> {
  if (asked === undefined) {
    const policy = await openModel()
    return { policy, dataset: null, close: policy.close }
  }
  const { path, share } = asked
  const kept = journal.getState(DATASET_POSITION)
  const proposer = await openDatasetProposer(path, identity.peerKey, proposalsOf(environment), kept)
  logger.info('proposing from a dataset', { path, share, position: proposer.position() })
  try {
    const policy = share < 1 ? await openModel() : null
    const close = async () => void (await Promise.all([policy?.close(), proposer.close()]))
    return { policy, dataset: { proposer, share }, close }
  } catch (error) {
    await proposer.close()
    throw error
  }
}
