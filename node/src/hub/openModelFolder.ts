import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { type PullProgress, pullModel } from './pullModel.ts'
import { parseRepoReference } from './repoReference.ts'

/**
 * The folder of a model, given by a path or by OWNER/NAME[@REVISION], which is downloaded if necessary. A name that exists as a local folder means
 * that folder.
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
  const found = await stat(folder).catch(() => null)
  if (found?.isFile()) throw new HubError('HUB_REFERENCE', `${folder} is a file, and its name does not end in .gguf.`)
  if (found !== null) throw new HubError('HUB_REFERENCE', `${folder} has no config.json.`)
  const reference = parseRepoReference(pathOrRepo)
  const pulled = await pullModel(client, reference, cache, progress).catch(error => {
    // A mistyped path can have the form of a repository's name.
    if (!(error instanceof HubError) || error.code !== 'HUB_OFFLINE') throw error
    throw new HubError(
      'HUB_OFFLINE',
      `There is no folder ${folder}, and the model is not in the cache: ${error.message}`,
      error,
    )
  })
  return pulled.folder
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
