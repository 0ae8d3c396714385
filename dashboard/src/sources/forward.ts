import { withoutCredentials } from '@waggle/node/core/withoutCredentials'

/** Headers passed to and from a source: none that identifies the reader. */
const ASKED = ['accept', 'content-type', 'last-event-id']
const ANSWERED = ['cache-control', 'content-type', 'retry-after']

/** Larger than any request of a browser. */
const MAX_BYTES = 64 * 1024

/** A browser gives up after four seconds: the first endpoint leaves some to the next. */
const FIRST_MS = 1_500

/** The part of a request that is forwarded. */
type Asked = Pick<Request, 'method' | 'headers' | 'signal'>

/** An endpoint that failed is asked after the others for this time, so that a silent one delays few calls. */
const REST_MS = 30_000
const restsUntil = new Map<string, number>()

/**
 * Forwards a call to the first endpoint of a chain that accepts it: not to one that is down, refuses, or has not answered in time.
 *
 * @param urls - in the order of preference. The last one that is asked has all the time that the reader waits.
 */
export async function forwardToFirst(
  request: Request,
  urls: readonly string[],
  body: string,
  firstMs = FIRST_MS,
): Promise<Response> {
  const nowMs = Date.now()
  const { true: resting = [], false: ready = [] } = Object.groupBy(urls, url => `${isResting(url, nowMs)}` as const)
  const others = [...ready, ...resting]
  const last = others.pop() ?? null
  const { method, signal } = request
  const headers = new Headers(request.headers)
  // Endpoints refuse other types, and a reader may send any.
  headers.set('content-type', 'application/json')
  const call = { method, signal, headers }
  for (const url of others) {
    const answer = await forward(call, url, body, firstMs)
    if (answer.ok || signal.aborted) return answer
    if (isFailure(answer.status)) restsUntil.set(url, Date.now() + REST_MS)
    await answer.body?.cancel()
  }
  return forward(call, last, body)
}

/** Whether an answer says that the endpoint is down or busy. A call that it refuses says nothing about the calls of other readers. */
const isFailure = (status: number) => status === 429 || status >= 500

const isResting = (url: string, nowMs: number) => (restsUntil.get(url) ?? 0) > nowMs

/**
 * Forwards a request to a source and streams its answer back, so that one port serves the whole dashboard.
 *
 * @param url - of the source; null if none is set.
 * @param body - the request's body, if the caller has read it.
 * @param withinMs - longest wait until the answer begins; unlimited by default.
 */
export async function forward(request: Asked, url: string | null, body?: string, withinMs?: number): Promise<Response> {
  if (url === null) return Response.json({ error: 'this dashboard has no such source' }, { status: 503 })
  const { url: bare, headers } = withoutCredentials(url)
  const asked = new Headers(headers)
  for (const name of ASKED) {
    const value = request.headers.get(name)
    if (value !== null) asked.set(name, value)
  }
  const ended = new AbortController()
  const end = () => ended.abort()
  const timer = withinMs === undefined ? undefined : setTimeout(end, withinMs)
  request.signal.addEventListener('abort', end, { once: true })
  if (request.signal.aborted) end()
  try {
    const answer = await fetch(bare, {
      method: request.method,
      headers: asked,
      // The stream ends when the reader disconnects.
      signal: ended.signal,
      cache: 'no-store',
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel()
      // One could lead requests into the network of this server.
      return Response.json({ error: 'the source redirects: give this dashboard its final URL' }, { status: 502 })
    }
    const answered = new Headers({ 'x-accel-buffering': 'no' })
    for (const name of ANSWERED) {
      const value = answer.headers.get(name)
      if (value !== null) answered.set(name, value)
    }
    return new Response(answer.body, { status: answer.status, headers: answered })
  } catch {
    return Response.json({ error: 'the source does not answer' }, { status: 502 })
  } finally {
    clearTimeout(timer)
  }
}

/** The body of a request; null if it is too large. */
export async function readQuestion(request: Request): Promise<string | null> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

export const tooLarge = () => Response.json({ error: 'the question is too large' }, { status: 413 })
