import type { z } from 'zod'
import type { Part, Source } from './part.ts'

/** A page waits this long for a source and then goes on without it: longer than the ten seconds after which the indexer gives up itself. */
export const TIMEOUT_MS = 12_000

const TOO_BUSY = 503

/** Fetches and checks one JSON answer. A source that is down is an expected outcome, so it is a value; a 404 with `missing` set is that value. */
export async function fetchPart<T>(
  source: Source,
  baseUrl: string | null,
  path: string,
  schema: z.ZodType<T>,
  options: { body?: unknown; missing?: T; timeoutMs?: number } = {},
): Promise<Part<T>> {
  if (baseUrl === null) return { state: 'down', source, trouble: 'unset', url: null }
  let answer: unknown
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      ...(options.body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(options.body) }),
    })
    if (response.status === 404 && options.missing !== undefined) return { state: 'ready', data: options.missing }
    if (!response.ok)
      return { state: 'down', source, trouble: response.status === TOO_BUSY ? 'slow' : 'unreachable', url: baseUrl }
    answer = await response.json()
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError'
    return { state: 'down', source, trouble: isLate ? 'slow' : 'unreachable', url: baseUrl }
  }
  const parsed = schema.safeParse(answer)
  if (parsed.success) return { state: 'ready', data: parsed.data }
  console.error(`${source} at ${baseUrl}${path} gave an unknown shape: ${parsed.error.message}`)
  return { state: 'down', source, trouble: 'unreadable', url: baseUrl }
}
