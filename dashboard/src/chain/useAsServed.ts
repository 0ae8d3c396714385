import { type Context, useContext, useState, useSyncExternalStore } from 'react'

/** A provider's value, and its initial value, which the server rendered. */
export interface Held<T> {
  now: T
  first: T
}

export function useHeld<T>(now: T): Held<T> {
  const [first] = useState(now)
  return { now, first }
}

/**
 * A context's value; a part that is hydrated late gets the initial value first. Its HTML comes from the server, which does not know the
 * current value.
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
