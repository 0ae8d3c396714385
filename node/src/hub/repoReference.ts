import { HubError } from './hubError.ts'

/** A model repository, and which state of it. */
export type RepoReference = {
  /** OWNER/NAME. */
  readonly repo: string
  /** Branch, tag or commit. */
  readonly revision: string
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
  const [repo = '', revision = 'main', ...rest] = text.split('@')
  if (NAME.test(repo) && REVISION.test(revision) && rest.length === 0) return { repo, revision }
  throw new HubError('HUB_REFERENCE', `'${text.slice(0, 100)}' is no folder and no repository.`)
}
