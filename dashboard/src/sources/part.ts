export type Source = 'indexer' | 'gateway' | 'chain'

/**
 * Reason why a source has no data: its address is not set, it does not answer, it is there but did not answer in time, it cannot answer this
 * question, or the answer cannot be parsed.
 */
export type Trouble = 'unset' | 'unreachable' | 'slow' | 'refused' | 'unreadable'

/**
 * One part of a page. A source that is down takes its own parts with it and no others.
 *
 * @property url - origin of the source, for display: the rest of a URL may be a credential. Null if its address is not set.
 */
export type Part<T> =
  | { state: 'ready'; data: T }
  | { state: 'down'; source: Source; trouble: Trouble; url: string | null }

export function ready<T>(data: T): Part<T> {
  return { state: 'ready', data }
}

/** The same part with its data reshaped; a part that is down stays down. */
export function mapPart<T, U>(part: Part<T>, shape: (data: T) => U): Part<U> {
  return part.state === 'ready' ? ready(shape(part.data)) : part
}

/** Long enough for an index that is not busy. */
const SOON_MS = 1_500

/** The value of a promise; null if it does not come soon. The page of a thing that may not exist waits so long with its status, 200 or 404. */
export function soon<T>(promise: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, SOON_MS, null)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
