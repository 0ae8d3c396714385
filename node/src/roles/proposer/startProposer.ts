import { join } from 'node:path'
import { noteRun } from '../metrics/runNote.ts'
import { openProposalWriter } from '../models/openProposalWriter.ts'
import type { PeerNode } from '../peerNode.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { openSources } from './openSources.ts'
import { PROPOSER_FOLDER, runProposer } from './proposer.ts'

/** Opens a proposer's model and dataset, and proposes. */
export async function startProposer(node: PeerNode, options: RoleOptions): Promise<void> {
  const { data, settings, dataset, adapter, model, device } = options
  const folder = join(data, PROPOSER_FOLDER)
  const openWriter = () => openProposalWriter(node.environment, workerOf(node, options), { folder, adapter })
  const sources = await openSources(node, dataset, openWriter, folder)
  if (sources.learner) noteRun(node, { role: 'proposer', trained: 'adapter', model: model ?? null, device })
  await runProposer(node, sources, { level: settings.level }).finally(sources.close)
}
