import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { type PullProgress, pullModel } from './pullModel.ts'
import { parseRepoReference } from './repoReference.ts'

/**
 * The folder of a model that is named by a folder's path or by OWNER/NAME[@REVISION], which is downloaded if it is not there yet.
 * A name that exists as a folder on this machine means the folder.
 *
 * @throws {HubError}
 */
export async function openModelFolder(
  client: HubClient,
  pathOrRepo: string,
  cache: string,
  progress?: (progress: PullProgress) => void,
): Promise<string> {
  const folder = resolve(pathOrRepo)
  if (await exists(join(folder, 'config.json'))) return folder
  if (await exists(folder)) throw new HubError('HUB_REFERENCE', `${folder} holds no config.json.`)
  return (await pullModel(client, parseRepoReference(pathOrRepo), cache, progress)).folder
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
