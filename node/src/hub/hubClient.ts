import type { Clock } from '#core/clock.ts'
import { HubError } from './hubError.ts'
import { isLoopback } from './loopback.ts'
import { type UploadBody, uploadBody } from './uploadBody.ts'

export const HUB_URL = 'https://huggingface.co'

type HubOptions = {
  /** Address of the hub; {@link HUB_URL} except for mirrors and tests. */
  readonly url?: string | undefined
  /** Access token, sent only to the hub's own origin; never part of a message. */
  readonly token?: string | undefined
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Calls `late` after `ms` unless the returned function is called before; the system's, except for tests. */
  readonly startTimer?: StartTimer
}

type StartTimer = (ms: number, late: () => void) => () => void

type HubRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Blob
}

/** Requests to one hub. */
export type HubClient = {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /**
   * One request, redirects followed, without the token once they leave the hub's origin.
   *
   * @param target - a path on the hub, or a URL that the hub returned.
   * @returns a response with status 2xx.
   * @throws {HubError} for any other answer, or none.
   */
  send(target: string, request?: HubRequest): Promise<Response>
}

const MAX_REDIRECTS = 5
/** Longest time without progress: until the connection takes a piece of the body, and from the last one to the answer's head. */
const ANSWER_MS = 60_000

const systemTimer: StartTimer = (ms, late) => {
  const timer = setTimeout(late, ms)
  return () => clearTimeout(timer)
}

/** @throws {HubError} if the token has characters that no token has, or would go to another machine without encryption. */
export function createHubClient({
  url = HUB_URL,
  token,
  clock,
  signal,
  startTimer = systemTimer,
}: HubOptions): HubClient {
  const { origin, protocol, hostname, host } = new URL(url)
  // fetch would quote a malformed header, and so the token, in its error.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new HubError('HUB_DENIED', 'The access token contains characters that no token has.')
  if (token !== undefined && protocol === 'http:' && !isLoopback(hostname))
    throw new HubError('HUB_URL', `The access token would go to ${host} without encryption.`)
  return {
    clock,
    signal,
    async send(target, { headers = {}, ...request } = {}) {
      let address = new URL(target, `${url.replace(/\/$/, '')}/`)
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        requireSafe(address, origin)
        const own = address.origin === origin && token !== undefined ? { authorization: `Bearer ${token}` } : {}
        const response = await reach(address, { ...request, headers: { ...headers, ...own } }, signal, startTimer)
        const location = response.headers.get('location')
        if (response.status < 300 || response.status >= 400 || location === null) {
          if (response.ok) return response
          throw await refusal(address, response)
        }
        await response.body?.cancel()
        const next = URL.parse(location, address.href)
        if (!next) throw new HubError('HUB_RESPONSE', `${address.host} redirects to an invalid address.`)
        address = next
      }
      throw new HubError('HUB_RESPONSE', `${address.host} redirects without end.`)
    },
  }
}

async function reach(
  address: URL,
  { body: content, headers = {}, ...request }: HubRequest,
  signal: AbortSignal | undefined,
  startTimer: StartTimer,
): Promise<Response> {
  const stalled = new AbortController()
  const start = () => startTimer(ANSWER_MS, () => stalled.abort())
  let stop: (() => void) | null = start()
  const body =
    content === undefined
      ? null
      : uploadBody(content, headers, () => {
          // A server may answer before it has taken everything.
          if (stop === null) return
          stop()
          stop = start()
        })
  const signals = signal ? [signal, stalled.signal] : [stalled.signal]
  const options = { ...request, headers, ...body?.init, redirect: 'manual', signal: AbortSignal.any(signals) } as const
  try {
    return await fetch(address, options)
  } catch (cause) {
    signal?.throwIfAborted()
    throw unanswered(address, body, stalled.signal.aborted, cause)
  } finally {
    stop()
    stop = null
  }
}

/** The error for a request without an answer. */
function unanswered({ host }: URL, body: UploadBody | null, isLate: boolean, cause: unknown): HubError {
  const [taken, bytes] = [body?.taken() ?? 0, body?.bytes ?? 0]
  const seconds = ANSWER_MS / 1000
  if (isLate && taken < bytes)
    return new HubError(
      'HUB_UPLOAD',
      `The upload to ${host} stalled for ${seconds} s at ${taken} of ${bytes} bytes.`,
      cause,
    )
  if (isLate)
    return new HubError(body ? 'HUB_UPLOAD' : 'HUB_OFFLINE', `${host} does not answer within ${seconds} s.`, cause)
  if (taken > 0)
    return new HubError('HUB_UPLOAD', `The connection to ${host} broke at ${taken} of ${bytes} uploaded bytes.`, cause)
  return new HubError('HUB_OFFLINE', `${host} cannot be reached.`, cause)
}

/** Plain http only if the hub's own URL uses it: a redirect must not downgrade TLS. */
function requireSafe({ protocol, origin, host }: URL, hub: string): void {
  if (protocol === 'https:' || (protocol === 'http:' && (origin === hub || new URL(hub).protocol === 'http:'))) return
  throw new HubError('HUB_RESPONSE', `The hub points to ${host} without encryption.`)
}

/** The error for an unsuccessful answer. URLs are quoted without their query, which may hold a signature. */
async function refusal({ origin, host, pathname }: URL, response: Response): Promise<HubError> {
  await response.body?.cancel()
  const at = `${origin}${pathname}`
  const { status } = response
  const kind = response.headers.get('x-error-code')
  // The hub answers 401 for a repository that does not exist, to hide which private ones exist.
  if (status === 404 || kind === 'RepoNotFound' || kind === 'RevisionNotFound')
    return new HubError('HUB_NOT_FOUND', `There is nothing at ${at}, or not for everyone.`)
  if (status === 401 || status === 403) return new HubError('HUB_DENIED', `${host} denies ${at} (${status}).`)
  if (status === 429 || status >= 500) return new HubError('HUB_BUSY', `${host} answers ${status}.`)
  return new HubError('HUB_RESPONSE', `${host} answers ${status} at ${at}.`)
}
