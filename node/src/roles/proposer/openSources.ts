import type { PeerNode } from '../peerNode.ts'
import { openDatasetProposer } from './datasetProposer.ts'
import { proposalsOf } from './proposalsOf.ts'
import type { WriteProposals } from './propose.ts'
import { DATASET_POSITION, type TaskSources } from './proposer.ts'

/**
 * What a peer proposes from: a model, unless a dataset gives all of its tasks. The order of the dataset's rows follows from the peer's
 * key, so that proposers of one dataset propose different tasks.
 */
export async function openSources(
  { environment, identity, journal, logger }: PeerNode,
  asked: { path: string; share: number } | undefined,
  openWriter: () => Promise<{ write: WriteProposals; close(): Promise<void> }>,
): Promise<TaskSources & { close(): Promise<void> }> {
  if (asked === undefined) {
    return { dataset: null, ...(await openWriter()) }
  }
  const { path, share } = asked
  const kept = journal.getState(DATASET_POSITION)
  const proposer = await openDatasetProposer(path, identity.peerKey, proposalsOf(environment), kept)
  logger.info('proposing from a dataset', { path, share, position: proposer.position() })
  try {
    const writer = share < 1 ? await openWriter() : null
    const close = async () => void (await Promise.all([writer?.close(), proposer.close()]))
    return { write: writer?.write ?? null, dataset: { proposer, share }, close }
  } catch (error) {
    await proposer.close()
    throw error
  }
}
