import { type Context, useContext, useState, useSyncExternalStore } from 'react'

/** What a provider holds, and what it held at first, on the server too. */
export interface Held<T> {
  now: T
  first: T
}

export function useHeld<T>(now: T): Held<T> {
  const [first] = useState(now)
  return { now, first }
}

/**
 * What a context holds; to a part of the page that comes late, what it held at first until that part is hydrated. The HTML of the part is
 * the server's, which knows nothing of what the page has learned meanwhile.
 */
export function useAsServed<T>(context: Context<Held<T>>): T {
  const { now, first } = useContext(context)
  const isHydrated = useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
  return isHydrated ? now : first
}

const subscribe = () => () => {}
