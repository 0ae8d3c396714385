/** Headers that a source may need, and that it may answer with: nothing that says who asks. */
const ASKED = ['accept', 'content-type', 'last-event-id']
const ANSWERED = ['cache-control', 'content-type', 'retry-after']

/** Larger questions than a browser has. */
const MAX_BYTES = 64 * 1024

/**
 * Hands a request on to a source and its answer back as it comes, so that one port is enough to look at a swarm.
 *
 * @param url - of the source; null if none is set.
 * @param body - what is asked, where the caller has read it.
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
      // The reader who leaves ends the stream.
      signal: request.signal,
      cache: 'no-store',
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    })
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

/** The body of a request; null if it is larger than a question. */
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
