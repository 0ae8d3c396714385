import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#core/clock.ts'
import { createHubClient, HUB_URL, type HubClient } from '#hub/hubClient.ts'
import { underLock } from '#hub/lockCache.ts'
import { openModelFolder } from '#hub/openModelFolder.ts'
import type { PullProgress } from '#hub/pullModel.ts'
import { environment } from '../environment.ts'
import { showShare } from '../showShare.ts'
import { UsageError } from '../usageError.ts'

export type HubSettings = { models?: string | undefined; hub?: string | undefined }

/** @throws {UsageError} if the URL is invalid. */
export function openHub({ hub }: HubSettings, signal?: AbortSignal): HubClient {
  if (hub !== undefined && !/^https?:$/.test(URL.parse(hub)?.protocol ?? ''))
    throw new UsageError(`--hub ${hub} is not an http or https URL.`, { hint: `Leave it out for ${HUB_URL}.` })
  return createHubClient({ url: hub, token: environment.hubToken(), clock: systemClock, signal })
}

export function modelsFolder({ models }: HubSettings): string {
  return models ?? environment.models() ?? join(environment.home(), '.cache', 'waggle', 'models')
}

/** The folder of `--model PATH_OR_REPO`, downloaded or imported if necessary, with progress on stderr. */
export function openModel(pathOrRepo: string, settings: HubSettings, signal?: AbortSignal): Promise<string> {
  if (isGguf(pathOrRepo)) return openGguf(pathOrRepo, modelsFolder(settings), signal)
  return openModelFolder(openHub(settings, signal), pathOrRepo, modelsFolder(settings), showProgress())
}

/** The folder of `--model PATH` without downloads: the path itself, or the folder of an imported GGUF file. */
export async function openLocalModel(path: string, settings: HubSettings, signal?: AbortSignal): Promise<string> {
  return isGguf(path) ? openGguf(path, modelsFolder(settings), signal) : path
}

/** A line on stderr for every tenth of a model. */
export function showProgress(): (progress: PullProgress) => void {
  let now: PullProgress = { file: '', received: 0, total: 0 }
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  const show = showShare(() => `${mb(now.received)} of ${mb(now.total)} MB  ${now.file}`)
  return progress => {
    now = progress
    show(now.total === 0 ? 1 : now.received / now.total)
  }
}

/** Whether a model is named by the path of a llama.cpp file, which is imported once. */
export const isGguf = (path: string): boolean => /\.gguf$/i.test(path)

/**
 * The folder of a GGUF file's model, imported under its content's hash the first time, and again by a version that imports otherwise, with progress
 * on stderr.
 *
 * @param models - where downloaded models are kept.
 * @throws {ModelFileError} naming the file and the field.
 */
async function openGguf(path: string, models: string, signal?: AbortSignal): Promise<string> {
  const { withRegularFile } = await import('#model/files/regularFile.ts')
  const { fingerprint } = await import('#model/files/fileFingerprint.ts')
  await withRegularFile(path, async () => {}) // a pipe would block until its writer closes it
  const { importGguf, IMPORT_FORMAT } = await import('#model/gguf/importGguf.ts')
  const known = await fingerprint(path, signal)
  const folder = join(models, 'gguf', String(IMPORT_FORMAT), known.sha256)
  await underLock(`${folder}.lock`, { clock: systemClock, signal }, async () => {
    if (existsSync(folder)) return
    const onProgress = showShare(tenths => `import of ${path}: ${10 * tenths} %`)
    await importGguf(path, folder, { known, onProgress, signal })
  })
  return folder
}
