import { createKeyedLimit } from '#core/keyedLimit.ts'

/** A path's answer, as JSON; null if the path is unknown. */
export type Route = {
  path: RegExp
  answer: (match: RegExpExecArray) => Promise<object | null> | object | null
  /** Requests that wait for each other, and not for others of the route; all of them if it is missing. */
  queueOf?: (match: RegExpExecArray) => string
}

export type Answer = { status: number; body: object }

/** Concurrent answers of one queue of a route. Each may hold a page's payloads in memory. */
const PARALLEL = 2
/** Running and waiting answers of one queue; further requests are told to retry. */
const MAX_OPEN = 64

const busy: Answer = { status: 503, body: { error: 'busy; try again' } }

/**
 * Answers by path; null for an unknown path. Concurrent requests for a path share one answer. Routes do not wait for each other: many
 * requests for rounds do not delay the status.
 */
export function createAnswers(routes: readonly Route[]): (path: string) => Promise<Answer | null> {
  const asked = routes.map(createAsked)

  return async path => {
    for (const ask of asked) {
      const answer = ask(path)
      if (answer !== null) return answer
    }
    return null
  }
}

/** Answers of one route; null for a path of another. */
function createAsked(route: Route): (path: string) => Promise<Answer | null> | null {
  const limit = createKeyedLimit(PARALLEL)
  const open = new Map<string, { queue: string; made: Promise<object | null> }>()
  const countOf = (queue: string) => [...open.values()].filter(one => one.queue === queue).length

  return path => {
    const match = route.path.exec(path)
    if (match === null) return null
    const queue = route.queueOf?.(match) ?? ''
    if (!open.has(path) && countOf(queue) >= MAX_OPEN) return Promise.resolve(busy)
    const made =
      open.get(path)?.made ?? limit.run(queue, async () => route.answer(match)).finally(() => open.delete(path))
    open.set(path, { queue, made })
    return made.then(body => (body === null ? null : { status: 200, body }))
  }
}
