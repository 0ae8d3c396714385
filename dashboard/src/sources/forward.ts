/** Headers passed to and from a source: none that identifies the reader. */
const ASKED = ['accept', 'content-type', 'last-event-id']
const ANSWERED = ['cache-control', 'content-type', 'retry-after']

/** Larger than any request of a browser. */
const MAX_BYTES = 64 * 1024

/**
 * Forwards a request to a source and streams its answer back, so that one port serves the whole dashboard.
 *
 * @param url - of the source; null if none is set.
 * @param body - the request's body, if the caller has read it.
 */
export async function forward(request: Request, url: string | null, body?: string): Promise<Response> {
  if (url === null) return Response.json({ error: 'this dashboard has no such source' }, { status: 503 })
  const asked = new Headers()
  for (const name of ASKED) {
    const value = request.headers.get(name)
    if (value !== null) asked.set(name, value)
  }
  try {
    const answer = await fetch(url, {
      method: request.method,
      headers: asked,
      // The stream ends when the reader disconnects.
      signal: request.signal,
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
