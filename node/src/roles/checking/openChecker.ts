import { openJudge, tellMeasured } from '../models/openModels.ts'
import type { PeerNode } from '../peerNode.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { type HeldBases, holdBases } from './heldBases.ts'
import type { Models } from './proofs.ts'

/** The judge and the bases of a node that checks others' work, in one worker; says what it can check. */
export async function openChecker(
  node: PeerNode,
  options: RoleOptions,
): Promise<{ models: Models & { bases: HeldBases }; close(): Promise<void> }> {
  const megabytes = options.settings.basesMb
  const residentBytes = megabytes === undefined ? undefined : megabytes * 2 ** 20
  const bases = await holdBases(node.environment, { folders: options.chat?.baseFolders, residentBytes })
  if (bases.folders.size > 1) tellHeld(node, bases)
  if (bases.lacking.length > 0)
    node.logger.warn('it cannot check adapters over some paid bases: it votes unavailable', { bases: bases.lacking })
  if (options.device !== 'cpu') tellDevice(node, options)
  const worker = { ...workerOf(node, options), residentBytes: bases.residentBytes }
  const { close, ...opened } = await openJudge(node.environment, worker)
  tellMeasured(opened.judge, node.logger)
  return { models: { ...opened, bases }, close }
}

/** Checks of sampling are most of this work, so a GPU may be of little use. */
function tellDevice({ environment, logger }: PeerNode, { device, settings: { threads } }: RoleOptions): void {
  const judge = environment.judgeModel === null ? 'no model judges on' : 'the judge runs on'
  logger.info(`sampling is checked in float32 on the CPU; ${judge} the device`, { device, threads })
}

function tellHeld({ logger }: PeerNode, { folders, residentBytes, fitTogether }: HeldBases): void {
  const about = { bases: [...folders.keys()], memoryMb: Math.round(residentBytes / 2 ** 20) }
  if (fitTogether) logger.info('it checks adapters over several bases', about)
  else logger.warn('its bases do not fit into memory together: in a round they are checked one after another', about)
}
