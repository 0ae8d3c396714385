import { type Hex, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from 'viem'
import { getHttpRpcClient } from 'viem/utils'
import { type Clock, systemClock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import { originsOf, redactUrls, urlSecrets } from '#core/redactUrls.ts'
import { withoutCredentials } from '#core/withoutCredentials.ts'
import { RedirectError, withoutRedirects } from '#core/withoutRedirects.ts'
import { AskedTooOftenError, ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import {
  asksTooMuch,
  canAskLess,
  isLimit,
  isTooOften,
  isVerdict,
  oddResult,
  type RpcCall,
  type RpcError,
  revertDataOf,
} from './answers.ts'
import { inChainOrder, type Log } from './logAnswers.ts'

/** One JSON-RPC server. Every answer is checked, and only the origin of its URL is exposed. */
export type Endpoint = {
  /** Scheme, host and port. */
  origin: string
  /**
   * @throws {RpcRequestError} a verdict on the call, such as a revert.
   * @throws {TooMuchAskedError} the answer is too long, or the server says that it would be.
   * @throws {AskedTooOftenError} the server limits the rate of requests.
   * @throws {ChainUnreachableError} no answer, or one that is not an answer to the call.
   */
  ask(call: RpcCall): Promise<unknown>
  /** Waits before a call that was refused for the rate of requests is repeated. An endpoint without it is not asked again. */
  rest?(call: RpcCall, ms: number): Promise<void>
}

type EndpointOptions = {
  /** From the request to the last byte of its answer. */
  timeoutMs?: number
  fetchFn?: typeof fetch
  clock?: Clock
  /** Ends requests: an answer that is awaited would hold up the end of the process. */
  signal?: AbortSignal | undefined
}

/** A public endpoint takes seconds. */
const TIMEOUT_MS = 10_000
/** Events of 2,000 blocks of a large swarm take tens of MiB. A longer answer is refused. */
const MAX_EVENTS_BYTES = 64 * 2 ** 20
/** All other answers of a batch take less than 1 MiB at 1,000 peers. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20
/** Public endpoints refuse long batches. */
const MAX_BATCH = 20
/** Time for which calls travel alone after a batch was refused: it may have been a fault, which passes. */
const ALONE_FOR_MS = 60_000
const MAX_SAID = 200
/** Errors of our contracts are far shorter, in characters. */
const MAX_DATA = 4_096

type Waiting = { call: RpcCall; resolve: (result: unknown) => void; reject: (reason: unknown) => void }

/** Calls of one turn of the event loop share a request. */
export function createEndpoint(url: string, options: EndpointOptions = {}): Endpoint {
  const { timeoutMs = TIMEOUT_MS, fetchFn = fetch, clock = systemClock, signal } = options
  const origin = originsOf(url)
  const { odd, wordsOf, settle } = createAnswers(url, origin)
  // viem leaves those that it cannot decode or encode in the URL, and `fetch` refuses it.
  const { url: bare, headers } = withoutCredentials(url)
  const http = getHttpRpcClient(bare.href, {
    timeout: timeoutMs,
    fetchOptions: { headers },
    // viem's own limit ends with the headers: a body could trickle without end.
    fetchFn: (input, init) => withoutRedirects(fetchFn)(input, { ...init, signal: withDeadline(signal, timeoutMs) }),
  })
  const waiting: Waiting[] = []
  let refusedMs = Number.NEGATIVE_INFINITY
  let lastId = 0

  function flush(): void {
    // In either direction: a clock may be set back.
    const takesBatches = Math.abs(clock.nowMs() - refusedMs) >= ALONE_FOR_MS
    const batches = takesBatches ? Math.ceil(waiting.length / MAX_BATCH) : waiting.length
    const size = takesBatches ? MAX_BATCH : 1
    for (let at = 0; at < batches; at++) void send(waiting.splice(0, size))
  }

  async function send(batch: Waiting[]): Promise<void> {
    const body = batch.map(({ call }) => ({ ...call, id: ++lastId }))
    const single = body.length === 1 ? body[0] : undefined
    try {
      const data: unknown = await http.request({ body: single ?? body, maxResponseBodySize: maxBytes(batch) })
      if (single === undefined && !Array.isArray(data)) return refuseBatch(batch, data)
      const answers = single === undefined ? byId(data as unknown[]) : new Map([[single.id, data]])
      for (const [at, one] of batch.entries()) settle(one, body[at]?.id ?? 0, answers.get(body[at]?.id ?? 0))
    } catch (cause) {
      // Each may be within the limit, such as events of a large swarm for several duties. In sequence, to bound memory.
      if (batch.length > 1 && cause instanceof ResponseBodyTooLargeError) for (const one of batch) await send([one])
      else
        for (const { call, reject } of batch)
          reject(odd(faultOf(cause, timeoutMs, maxBytes(batch)), kindOf(call, cause)))
    }
  }

  /** A server that takes no batches is asked one by one; one that is asked too much is not asked twenty times more. */
  function refuseBatch(batch: Waiting[], answer: unknown): void {
    const { error } = (answer ?? {}) as { error?: RpcError | null }
    if (isLimit(error ?? {}))
      for (const { reject } of batch) reject(odd(wordsOf(error ?? {}), kindOfRefusal(error ?? {})))
    else {
      refusedMs = clock.nowMs()
      for (const one of batch) void send([one])
    }
  }

  return {
    origin,
    ask: call =>
      new Promise((resolve, reject) => {
        waiting.push({ call, resolve, reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
  }
}

/** The meaning of answers to calls: a result, the server's verdict on the call, or a fault of the endpoint. */
function createAnswers(url: string, origin: string) {
  const secrets = urlSecrets(url)
  const secretBytes = secrets.map(secret => Buffer.from(secret).toString('hex'))

  const odd = (reason: string, Kind = ChainUnreachableError) =>
    new Kind(`The chain at ${origin} gave no valid answer (${reason}).`, {
      hint: 'Check that it runs and that the RPC URL (--rpc) is right; a running peer resumes as soon as it answers.',
      retryable: true,
    })

  function settle({ call, resolve, reject }: Waiting, id: number, answer: unknown): void {
    const { id: answered, result, error } = (answer ?? {}) as { id?: unknown; result?: unknown; error?: RpcError }
    const reason = result === undefined ? 'an answer without a result' : oddResult(call, result)
    // Errors of a server that has not read the call have no id.
    if (error !== undefined && error !== null)
      reject(answered === id ? refusal(call, error) : odd(`${wordsOf(error)} to ${call.method}`, kindOfRefusal(error)))
    else if (result !== undefined && answered !== id) reject(odd(`an answer to another call than ${call.method}`))
    else if (reason !== null) reject(odd(`${reason} to ${call.method}`))
    else resolve(call.method === 'eth_getLogs' ? inChainOrder(result as Log[]) : result)
  }

  /** A server's words, safe for a terminal: a command prints them. */
  function wordsOf(error: RpcError): string {
    const said = error.message ?? error
    if (typeof said !== 'string') return 'an error without a message'
    return redactUrls(said, secrets)
      .slice(0, MAX_SAID)
      .replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ')
  }

  /** The data of a revert. viem would read fields of any other data, also those of null. */
  function dataOf(error: RpcError): Hex | undefined {
    const data = revertDataOf(error.data)
    const isShown = data !== undefined && data.length <= MAX_DATA
    return isShown && !secretBytes.some(bytes => data.toLowerCase().includes(bytes)) ? data : undefined
  }

  function refusal(call: RpcCall, error: RpcError): Error {
    const said = wordsOf(error)
    if (asksTooMuch(call, error)) return odd(`${said} to ${call.method}`, TooMuchAskedError)
    if (typeof error.code !== 'number' || !isVerdict(call, error))
      return odd(`${said} to ${call.method}`, kindOfRefusal(error))
    const { code } = error
    const data = dataOf(error)
    // Without the call's arguments: thousands of bytes do not help in a log.
    return new RpcRequestError({ body: { method: call.method }, error: { code, data, message: said }, url: origin })
  }

  return { odd, wordsOf, settle }
}

/** Answers of a batch. Of two with one id it is unknown which is right. */
function byId(answers: unknown[]): Map<unknown, unknown> {
  const found = new Map<unknown, unknown>()
  for (const answer of answers) {
    const { id } = (answer ?? {}) as { id?: unknown }
    found.set(id, found.has(id) ? null : answer)
  }
  return found
}

const maxBytes = (batch: readonly Waiting[]) =>
  batch.some(({ call }) => call.method === 'eth_getLogs') ? MAX_EVENTS_BYTES : MAX_ANSWER_BYTES

const kindOfRefusal = (error: RpcError) => (isTooOften(error) ? AskedTooOftenError : ChainUnreachableError)

function kindOf(call: RpcCall, cause: unknown) {
  if (cause instanceof HttpRequestError && cause.status === 429)
    return kindOfRefusal({ code: 429, message: cause.details })
  return cause instanceof ResponseBodyTooLargeError && canAskLess(call) ? TooMuchAskedError : ChainUnreachableError
}

/** Our own message for failures below JSON-RPC: errors of viem and fetch contain the URL. */
function faultOf(cause: unknown, timeoutMs: number, maxBytes: number): string {
  if (cause instanceof ResponseBodyTooLargeError) return `an answer of more than ${maxBytes} bytes`
  const chain: Error[] = []
  for (let at: unknown = cause; at instanceof Error; at = at.cause) chain.push(at)
  const isLate = chain.some(error => error instanceof TimeoutError || /^(Timeout|Abort)Error$/.test(error.name))
  if (isLate) return `no answer within ${timeoutMs / 1000} s`
  const status = chain.find(error => error instanceof HttpRequestError)?.status
  if (status !== undefined) return `HTTP status ${status}`
  if (chain.some(error => error instanceof SyntaxError)) return 'an answer that is not JSON'
  const redirect = chain.find(error => error instanceof RedirectError)
  if (redirect !== undefined) return redirect.message
  const code = chain.map(error => (error as NodeJS.ErrnoException).code).find(value => typeof value === 'string')
  return code === undefined ? 'no connection' : `no connection: ${code}`
}
