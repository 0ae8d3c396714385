import { join } from 'node:path'
import { noteRun } from '../metrics/runNote.ts'
import { openProposalWriter, type ProposalWriter } from '../models/openProposalWriter.ts'
import type { PeerNode } from '../peerNode.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { openDatasetProposer } from './datasetProposer.ts'
import { proposalsOf } from './proposalsOf.ts'
import { DATASET_POSITION, PROPOSER_FOLDER, runProposer, type TaskSources } from './proposer.ts'
import { createProposerLearner } from './proposerLearner.ts'
import { readSolvedShares } from './solvedShares.ts'

/**
 * What a peer proposes from: a model, unless a dataset gives all of its tasks. The order of the dataset's rows follows from the peer's
 * key, so that proposers of one dataset propose different tasks.
 *
 * @param folder - where a model that learns is kept.
 */
async function openSources(
  node: PeerNode,
  asked: { path: string; share: number } | undefined,
  openWriter: () => Promise<ProposalWriter>,
  folder: string,
): Promise<TaskSources & { close(): Promise<void> }> {
  const { environment, identity, journal, logger } = node
  const learnerOf = (policy: ProposalWriter['policy'] | undefined) => {
    const readShares = (round: number, until: AbortSignal) => readSolvedShares(node, round, until)
    return policy ? createProposerLearner({ ...node, readShares }, policy, folder) : null
  }
  if (asked === undefined) {
    const { write, policy, close } = await openWriter()
    return { write, dataset: null, learner: learnerOf(policy), close }
  }
  const { path, share } = asked
  const kept = journal.getState(DATASET_POSITION)
  const proposer = await openDatasetProposer(path, identity.peerKey, proposalsOf(environment), kept)
  logger.info('proposing from a dataset', { path, share, position: proposer.position() })
  try {
    const writer = share < 1 ? await openWriter() : null
    const close = async () => void (await Promise.all([writer?.close(), proposer.close()]))
    return { write: writer?.write ?? null, dataset: { proposer, share }, learner: learnerOf(writer?.policy), close }
  } catch (error) {
    await proposer.close()
    throw error
  }
}

/** Opens a proposer's model and dataset, and proposes. */
export async function startProposer(node: PeerNode, options: RoleOptions): Promise<void> {
  const { data, settings, dataset, adapter, model, device } = options
  const folder = join(data, PROPOSER_FOLDER)
  const openWriter = () => openProposalWriter(node.environment, workerOf(node, options), { folder, adapter })
  const sources = await openSources(node, dataset, openWriter, folder)
  if (sources.learner) noteRun(node, { role: 'proposer', trained: 'adapter', model: model ?? null, device })
  await runProposer(node, sources, { level: settings.level }).finally(sources.close)
}
