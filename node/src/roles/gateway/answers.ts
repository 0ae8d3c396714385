import { createKeyedLimit } from '#core/keyedLimit.ts'

/** A path's answer, as JSON; null where there is nothing of that name. */
export type Route = { path: RegExp; answer: (match: RegExpExecArray) => Promise<object | null> | object | null }

export type Answer = { status: number; body: object }

/** Made at a time. Each may hold a page's bodies in memory. */
const PARALLEL = 2
/** Under way and waiting, in all; one more is asked to come back. */
const MAX_OPEN = 64

const busy: Answer = { status: 503, body: { error: 'busy; try again' } }

/**
 * Answers by path; null where there is no such path.
 *
 * Who asks for what is being made for another gets the same answer, so that requests cost no more than paths.
 */
export function createAnswers(routes: readonly Route[]): (path: string) => Promise<Answer | null> {
  const limit = createKeyedLimit(PARALLEL)
  const open = new Map<string, Promise<object | null>>()

  function find(path: string): (() => Promise<object | null>) | null {
    for (const route of routes) {
      const match = route.path.exec(path)
      if (match !== null) return async () => await route.answer(match)
    }
    return null
  }

  return async path => {
    const make = find(path)
    if (make === null) return null
    if (!open.has(path) && open.size >= MAX_OPEN) return busy
    const made = open.get(path) ?? limit.run('', make).finally(() => open.delete(path))
    open.set(path, made)
    const body = await made
    return body === null ? null : { status: 200, body }
  }
}
