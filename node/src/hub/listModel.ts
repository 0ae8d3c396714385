import { z } from 'zod'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { readLimitedJson } from './readLimited.ts'
import type { RepoReference } from './repoReference.ts'

/** A file of a repository, with its expected hash. */
export type RemoteFile = {
  readonly name: string
  readonly bytes: number
  /** `git`: sha-1 of the blob, as git names it; `sha256`: of the content, as Git LFS names it. */
  readonly checksum: { readonly kind: 'git' | 'sha256'; readonly hex: string }
}

/** A repository at one commit: the files that Waggle reads. */
export type RemoteModel = {
  readonly kind: RepoKind
  readonly repo: string
  readonly commit: string
  readonly files: readonly RemoteFile[]
}

/** Repositories of the hub, as its API calls them. */
export type RepoKind = 'models' | 'datasets'

const bytes = z
  .int()
  .min(0)
  .max(2 ** 46)
const modelSchema = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z
    .array(
      z.looseObject({
        rfilename: z.string().min(1).max(1024),
        size: bytes.nullish(),
        blobId: z
          .string()
          .regex(/^[0-9a-f]{40}$/)
          .nullish(),
        lfs: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: bytes }).nullish(),
      }),
    )
    .max(100_000),
})

/** Files of a model's folder. Weights of other frameworks, images and code are skipped. */
const MODEL_FILES =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|adapter_config|[\w.-]+\.safetensors\.index)\.json$|^chat_template\.jinja$|^[\w.-]+\.safetensors$|^README\.md$|^LICENSE(\.\w+)?$/

/** Files of a dataset, in any folder. */
const DATA_FILES = /\.(parquet|jsonl|jsonl\.gz)$/

/**
 * Lists the files of a model or a dataset at a revision; with a path, those of that folder, or that file.
 *
 * @throws {HubError} if the repository does not exist, access is denied, or a name of those files is not a plain path.
 */
export async function listModel(
  client: HubClient,
  { repo, revision, path: within }: RepoReference,
  kind: RepoKind = 'models',
): Promise<RemoteModel> {
  const path = `api/${kind}/${repo}/revision/${encodeURIComponent(revision)}?blobs=true`
  const parsed = modelSchema.safeParse(await readLimitedJson(await client.send(path), client))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new HubError(
      'HUB_RESPONSE',
      `The hub's answer about ${repo} is malformed: ${issue?.path.join('.')}: ${issue?.message}.`,
    )
  }
  const { sha, siblings } = parsed.data
  const files = siblings.flatMap(({ rfilename: name, size, blobId, lfs }): RemoteFile[] => {
    const isWanted = kind === 'models' ? MODEL_FILES.test(name) : DATA_FILES.test(name) && isWithin(name, within)
    if (!isWanted) return []
    if (!isPlainPath(name))
      throw new HubError('HUB_FILE_NAME', `${repo} has a file named ${JSON.stringify(name.slice(0, 100))}.`)
    if (lfs) return [{ name, bytes: lfs.size, checksum: { kind: 'sha256', hex: lfs.sha256 } }]
    if (blobId && size != null) return [{ name, bytes: size, checksum: { kind: 'git', hex: blobId } }]
    throw new HubError('HUB_RESPONSE', `The hub gives no checksum for ${name} of ${repo}.`)
  })
  return { kind, repo, commit: sha, files }
}

const isWithin = (name: string, path: string | undefined) =>
  path === undefined || name === path || name.startsWith(`${path}/`)

/** Windows gives a colon a meaning wherever it is; elsewhere only the one of a drive is refused. */
const FORBIDDEN = process.platform === 'win32' ? /[\\:]/ : /^[a-z]:|\\/i

/** Line ends, escapes and marks of direction: a terminal that shows progress would obey them. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/u

/** A relative path without tricks, on any system. */
function isPlainPath(name: string): boolean {
  if (FORBIDDEN.test(name) || UNPRINTABLE.test(name) || name.startsWith('/')) return false
  return name.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}
