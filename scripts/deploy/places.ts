import { existsSync } from 'node:fs'
import path from 'node:path'
import type { NetworkPreset } from './networks.ts'

/** Where a deployment is noted. */
export interface Places {
  /** Folder of the Ignition journal. */
  readonly journalDir: string
  /** Path of the deployment's record, written at the end. */
  readonly recordFile: string
}

/** Points of a local swarm are on its chain alone. */
function isSwarms(folder: string): boolean {
  return ['chain', 'peers'].some(name => existsSync(path.join(folder, name)))
}

/** The next step if another chain answers than that of the folder's deployment. */
export function otherChainHint({ journalDir, recordFile }: Places, { urlVariable }: NetworkPreset): string {
  const folder = path.dirname(journalDir)
  if (!isSwarms(folder))
    return `point ${urlVariable} at the chain of the deployment, or, if that was reset, delete ${journalDir} and ${recordFile} to deploy afresh`
  return `${folder} is the folder of a swarm: point ${urlVariable} at its chain, or name another folder with --data; only if its chain is lost, delete ${journalDir} and ${recordFile}, which forgets the swarm's points`
}

/** How to use a deployment that has other parameters. A swarm passes its environment even where the user names none. */
export function sameParametersHint({ journalDir }: Places): string {
  return isSwarms(path.dirname(journalDir))
    ? 'use the release and the options that this swarm began with'
    : 'leave the option out'
}

/** How to deploy again next to a deployment that lives. */
export function afreshHint({ journalDir, recordFile }: Places): string {
  const folder = path.dirname(journalDir)
  if (isSwarms(folder))
    return `begin a new swarm with npm run swarm -- --fresh --data '${folder}', which forgets the points of the one there`
  return `deploy afresh: move ${journalDir} and ${recordFile} away and run it again; points, Nectar and stakes stay with the old contracts`
}
