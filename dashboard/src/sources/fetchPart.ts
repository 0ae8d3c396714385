import { originsOf } from '@waggle/node/core/redactUrls'
import { withoutCredentials } from '@waggle/node/core/withoutCredentials'
import type { z } from 'zod'
import type { Part, Source, Trouble } from './part.ts'

/** A page waits this long for a source and then goes on without it: longer than the ten seconds after which the indexer gives up itself. */
const TIMEOUT_MS = 12_000

/** Answers of a source that is too busy, and of a proxy whose source is down. Others mean that it is there, and refuses. */
const troubles: Partial<Record<number, Trouble>> = {
  429: 'slow',
  502: 'unreachable',
  503: 'slow',
  504: 'slow',
}

/** Fetches and checks one JSON answer. A source that is down is an expected outcome, so it is a value; a 404 with `missing` set is that value. */
export async function fetchPart<T>(
  source: Source,
  baseUrl: string | null,
  path: string,
  schema: z.ZodType<T>,
  options: { body?: unknown; missing?: T; timeoutMs?: number } = {},
): Promise<Part<T>> {
  if (baseUrl === null) return { state: 'down', source, trouble: 'unset', url: null }
  const origin = originsOf(baseUrl)
  const down = (trouble: Trouble) => ({ state: 'down', source, trouble, url: origin }) as const
  let answer: unknown
  try {
    const { url, headers } = withoutCredentials(`${baseUrl}${path}`)
    const response = await fetch(url, {
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      headers: { ...headers, ...(options.body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(options.body === undefined ? {} : { method: 'POST', body: JSON.stringify(options.body) }),
    })
    if (response.status === 404 && options.missing !== undefined) return { state: 'ready', data: options.missing }
    if (!response.ok) {
      console.error(`${source} at ${origin} answered ${response.status}${path && ` to ${path}`}`)
      return down(troubles[response.status] ?? 'refused')
    }
    answer = await response.json()
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError'
    return down(isLate ? 'slow' : 'unreachable')
  }
  const parsed = schema.safeParse(answer)
  if (parsed.success) return { state: 'ready', data: parsed.data }
  console.error(`${source} at ${origin} gave an unknown shape${path && ` of ${path}`}: ${parsed.error.message}`)
  return down('unreadable')
}
