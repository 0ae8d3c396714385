import { readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { downloadFile, sizeOf } from './downloadFile.ts'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { listModel, type RemoteModel, type RepoKind } from './listModel.ts'
import { underLock } from './lockCache.ts'
import { patiently } from './patiently.ts'
import type { RepoReference } from './repoReference.ts'

/** Bytes of a model's files that have arrived, and of all of them. */
export type PullProgress = { readonly file: string; readonly received: number; readonly total: number }

type PulledModel = {
  readonly folder: string
  readonly repo: string
  /** The commit that the revision resolved to. */
  readonly commit: string
  readonly bytes: number
}

/** Space that stays free after the download. */
const SPARE_BYTES = 256 * 1024 * 1024

const keptSchema = z.strictObject({ commit: z.string().regex(/^[0-9a-f]{40}$/), bytes: z.int().min(0) })

/**
 * Downloads a model or a dataset to the cache, `CACHE/[datasets--]OWNER--NAME/COMMIT/`, unless it is already there.
 *
 * If the hub is unreachable, a revision that was pulled completely before is found in the cache; a commit, which never changes, is always taken
 * from there. Pulls of one commit into one cache wait for each other, across processes. A folder is complete once a record in
 * `CACHE/OWNER--NAME/revisions/` names it.
 *
 * @throws {HubError}
 */
export async function pullModel(
  client: HubClient,
  reference: RepoReference,
  cache: string,
  progress: (progress: PullProgress) => void = () => {},
  kind: RepoKind = 'models',
): Promise<PulledModel> {
  const { repo, revision, path } = reference
  const home = join(cache, `${kind === 'models' ? '' : `${kind}--`}${repo.replace('/', '--')}`)
  const isCommit = /^[0-9a-f]{40}$/.test(revision)
  const recordOf = (name: string) => (path === undefined ? name : `${name}:${path}`)
  const kept = await readKept(home, recordOf(revision))
  if (isCommit && kept) return { folder: join(home, kept.commit), repo, ...kept }
  let model: RemoteModel
  try {
    model = await patiently(client, () => listModel(client, reference, kind))
  } catch (error) {
    if (kept && error instanceof HubError && error.retryable) return { folder: join(home, kept.commit), repo, ...kept }
    throw error
  }
  const folder = join(home, model.commit)
  const found = { commit: model.commit, bytes: totalOf(model) }
  const isKept = async (name: string) => isDeepStrictEqual(await readKept(home, recordOf(name)), found)
  const pulled = { folder, repo, ...found }
  const isWhole = (await isKept(model.commit)) && (await isComplete(model, folder))
  // Nothing is written then: the cache may be read-only, or its disk full.
  if (isWhole && (await isKept(revision))) return pulled
  // Two writers would corrupt a part; the second finds the first one's download.
  if (!isWhole)
    await underLock(join(home, `${model.commit}.lock`), client, () => bring(client, model, folder, progress))
  for (const name of new Set([model.commit, revision])) await keep(home, recordOf(name), found)
  return pulled
}

async function isComplete({ files }: RemoteModel, folder: string): Promise<boolean> {
  const sizes = await Promise.all(files.map(({ name }) => sizeOf(join(folder, name))))
  return files.every(({ bytes }, file) => sizes[file] === bytes)
}

async function bring(client: HubClient, model: RemoteModel, folder: string, progress: (p: PullProgress) => void) {
  if (model.kind === 'datasets' && model.files.length === 0)
    throw new HubError('HUB_NOT_FOUND', `${model.repo} has no Parquet or JSON lines files there.`)
  if (model.kind === 'models' && !model.files.some(({ name }) => name.endsWith('.safetensors')))
    throw new HubError('HUB_NOT_FOUND', `${model.repo} has no safetensors files: Waggle cannot read it.`)
  const total = totalOf(model)
  try {
    makeFolder(folder)
  } catch (cause) {
    throw new HubError('HUB_DISK', `${folder} cannot be made.`, cause)
  }
  const present = await Promise.all(model.files.map(({ name }) => bytesAt(join(folder, name))))
  const missing = total - present.reduce((sum, bytes) => sum + bytes, 0)
  const { bavail, bsize } = await statfs(folder)
  if (missing > 0 && missing + SPARE_BYTES > bavail * bsize)
    throw new HubError('HUB_DISK', `${model.repo} needs ${missing} more bytes, and ${bavail * bsize} are free.`)
  let received = 0
  for (const file of model.files) {
    await downloadFile(client, model, file, folder, bytes => {
      received += bytes
      progress({ file: file.name, received, total })
    })
  }
}

/** Bytes of a file or of its part. */
async function bytesAt(path: string): Promise<number> {
  for (const candidate of [path, `${path}.part`]) {
    const found = await stat(candidate).catch(() => null)
    if (found) return found.size
  }
  return 0
}

const totalOf = ({ files }: RemoteModel) => files.reduce((sum, { bytes }) => sum + bytes, 0)

const recordPath = (home: string, revision: string) => join(home, 'revisions', `${encodeURIComponent(revision)}.json`)

async function readKept(home: string, revision: string): Promise<z.output<typeof keptSchema> | null> {
  const text = await readFile(recordPath(home, revision), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const kept = keptSchema.parse(JSON.parse(text))
    return (await stat(join(home, kept.commit)).catch(() => null)) ? kept : null
  } catch {
    return null // A damaged record is as good as none: the hub is asked again.
  }
}

async function keep(home: string, revision: string, kept: z.output<typeof keptSchema>): Promise<void> {
  const path = recordPath(home, revision)
  try {
    makeFolder(dirname(path))
    await writeFileAtomic(path, JSON.stringify(kept))
  } catch (cause) {
    throw new HubError('HUB_DISK', `${path} cannot be written.`, cause)
  }
}
