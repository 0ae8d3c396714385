import { HubError } from './hubError.ts'

/** A repository and a revision of it. */
export type RepoReference = {
  /** OWNER/NAME. */
  readonly repo: string
  /** Branch, tag or commit. */
  readonly revision: string
  /** For a dataset: a folder or a file; by default all files. */
  readonly path?: string | undefined
}

const NAME = /^(?!.*(?:--|\.\.))[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/
const REVISION = /^(?!.*\.\.)[A-Za-z0-9][\w./-]{0,199}$/

export const isRepoName = (text: string): boolean => NAME.test(text)

/**
 * Reads OWNER/NAME or OWNER/NAME@REVISION.
 *
 * @throws {HubError} HUB_REFERENCE
 */
export function parseRepoReference(text: string): RepoReference {
  const reference = readReference(text)
  if (reference !== null) return reference
  throw new HubError('HUB_REFERENCE', `'${text.slice(0, 100)}' is neither a folder, a GGUF file nor a repository.`)
}

function readReference(text: string): RepoReference | null {
  const [repo = '', revision = 'main', ...rest] = text.split('@')
  return NAME.test(repo) && REVISION.test(revision) && rest.length === 0 ? { repo, revision } : null
}

const PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/

/**
 * Reads OWNER/NAME[@REVISION][:PATH] of a dataset.
 *
 * @throws {HubError} HUB_DATASET
 */
export function parseDatasetReference(text: string): RepoReference {
  const [repo = '', path, ...rest] = text.split(':')
  const reference = readReference(repo)
  if (reference !== null && rest.length === 0 && (path === undefined || PATH.test(path))) return { ...reference, path }
  throw new HubError('HUB_DATASET', `'${text.slice(0, 100)}' is neither a file, a folder nor a dataset on the hub.`)
}
