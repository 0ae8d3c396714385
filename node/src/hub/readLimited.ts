import { HubError } from './hubError.ts'

/** A larger answer of the API is refused. */
const MAX_BYTES = 16 * 1024 * 1024

/** Total time for the body: a slow server would otherwise block a command without end. */
const WHOLE_MS = 60_000

/**
 * Reads a response's JSON with limits on size and time.
 *
 * @param options.signal - of the request; its reason is thrown if it ended the answer.
 * @throws {HubError} HUB_RESPONSE if it is too large or not JSON, HUB_OFFLINE if it ends early or does not end.
 */
export async function readLimitedJson(
  response: Response,
  { signal, wholeMs = WHOLE_MS }: { signal?: AbortSignal | undefined; wholeMs?: number } = {},
): Promise<unknown> {
  const bytes = await readLimited(response, wholeMs, signal)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new HubError('HUB_RESPONSE', 'The hub’s answer is not JSON.', cause)
  }
}

async function readLimited(response: Response, wholeMs: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const reader = response.body?.getReader()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not whole after ${wholeMs} ms`)), wholeMs)
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const part = (await Promise.race([reader?.read(), late]))?.value
      if (part === undefined) return Buffer.concat(parts)
      bytes += part.length
      if (bytes > MAX_BYTES) throw new HubError('HUB_RESPONSE', `The hub’s answer is larger than ${MAX_BYTES} bytes.`)
      parts.push(part)
    }
  } catch (cause) {
    await reader?.cancel().catch(() => undefined)
    signal?.throwIfAborted()
    throw cause instanceof HubError ? cause : new HubError('HUB_OFFLINE', 'The hub’s answer ended early.', cause)
  } finally {
    clearTimeout(timer)
  }
}
