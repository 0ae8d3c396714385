export type Source = 'indexer' | 'gateway' | 'chain'

/** Reason why a source has no data: its address is not set, it does not answer, or the answer cannot be parsed. */
export type Trouble = 'unset' | 'unreachable' | 'unreadable'

/** One part of a page. A source that is down takes its own parts with it and no others. */
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
