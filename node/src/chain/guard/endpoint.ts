import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from 'viem'
import { getHttpRpcClient } from 'viem/utils'
import { originsOf, redactUrls, urlSecrets } from '#core/redactUrls.ts'
import { ChainUnreachableError, TooMuchAskedError } from '../chainErrors.ts'
import { asksTooMuch, canAskLess, isVerdict, oddResult, type RpcCall, type RpcError } from './answers.ts'

/** One JSON-RPC server. Every answer is checked, and only the origin of its URL is exposed. */
export type Endpoint = {
  /** Scheme, host and port. */
  origin: string
  /**
   * @throws {RpcRequestError} a verdict on the call, such as a revert.
   * @throws {TooMuchAskedError} the answer is too long, or the server says that it would be.
   * @throws {ChainUnreachableError} no answer, or one that is not an answer to the call.
   */
  ask(call: RpcCall): Promise<unknown>
}

type EndpointOptions = {
  /** From the request to the last byte of its answer. */
  timeoutMs?: number
  fetchFn?: typeof fetch
}

/** A public endpoint takes seconds. */
const TIMEOUT_MS = 10_000
/** Events of 2,000 blocks of a large swarm take tens of MiB. A longer answer is refused. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20
/** Public endpoints refuse long batches. */
const MAX_BATCH = 20
const MAX_SAID = 200

type Waiting = { call: RpcCall; resolve: (result: unknown) => void; reject: (reason: unknown) => void }

/** Calls of one turn of the event loop share a request. */
export function createEndpoint(url: string, options: EndpointOptions = {}): Endpoint {
  const { timeoutMs = TIMEOUT_MS, fetchFn = fetch } = options
  const origin = originsOf(url)
  const secrets = urlSecrets(url)
  const http = getHttpRpcClient(url, {
    timeout: timeoutMs,
    maxResponseBodySize: MAX_ANSWER_BYTES,
    // viem's own limit ends with the headers: a body could trickle without end.
    fetchFn: (input, init) => fetchFn(input, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
  })
  const waiting: Waiting[] = []
  let takesBatches = true
  let lastId = 0

  const odd = (reason: string, Kind = ChainUnreachableError) =>
    new Kind(`The chain at ${origin} gave no valid answer (${reason}).`, {
      hint: 'Check that it runs and that the RPC URL is right; a running peer resumes as soon as it answers.',
      retryable: true,
    })

  function flush(): void {
    const batches = takesBatches ? Math.ceil(waiting.length / MAX_BATCH) : waiting.length
    const size = takesBatches ? MAX_BATCH : 1
    for (let at = 0; at < batches; at++) void send(waiting.splice(0, size))
  }

  async function send(batch: Waiting[]): Promise<void> {
    const body = batch.map(({ call }) => ({ ...call, id: ++lastId }))
    const single = body.length === 1 ? body[0] : undefined
    try {
      const data: unknown = await http.request({ body: single ?? body })
      if (single === undefined && !Array.isArray(data)) {
        takesBatches = false
        for (const one of batch) void send([one])
        return
      }
      const answers = single === undefined ? byId(data as unknown[]) : new Map([[single.id, data]])
      for (const [at, one] of batch.entries()) settle(one, answers.get(body[at]?.id ?? 0))
    } catch (cause) {
      // Each may be within the limit, such as events of a large swarm for several duties. In sequence, to bound memory.
      if (batch.length > 1 && cause instanceof ResponseBodyTooLargeError) for (const one of batch) await send([one])
      else for (const { call, reject } of batch) reject(odd(faultOf(cause, timeoutMs), kindOf(call, cause)))
    }
  }

  function settle({ call, resolve, reject }: Waiting, answer: unknown): void {
    const { result, error } = (answer ?? {}) as { result?: unknown; error?: RpcError | null }
    const reason = result === undefined ? 'an answer without a result' : oddResult(call, result)
    if (error !== undefined && error !== null) reject(refusal(call, error))
    else if (reason !== null) reject(odd(`${reason} to ${call.method}`))
    else resolve(result)
  }

  function refusal(call: RpcCall, error: RpcError): Error {
    const said = redactUrls(String(error.message ?? error), secrets).slice(0, MAX_SAID)
    if (asksTooMuch(call, error)) return odd(`${said} to ${call.method}`, TooMuchAskedError)
    if (typeof error.code !== 'number' || !isVerdict(call, error)) return odd(`${said} to ${call.method}`)
    const { code, data } = error
    // Without the call's arguments: thousands of bytes do not help in a log.
    return new RpcRequestError({ body: { method: call.method }, error: { code, data, message: said }, url: origin })
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

function byId(answers: unknown[]): Map<number, unknown> {
  return new Map(answers.map(answer => [(answer as { id?: number } | null)?.id ?? 0, answer]))
}

const kindOf = (call: RpcCall, cause: unknown) =>
  cause instanceof ResponseBodyTooLargeError && canAskLess(call) ? TooMuchAskedError : ChainUnreachableError

/** Our own message for failures below JSON-RPC: errors of viem and fetch contain the URL. */
function faultOf(cause: unknown, timeoutMs: number): string {
  if (cause instanceof ResponseBodyTooLargeError) return `an answer of more than ${MAX_ANSWER_BYTES} bytes`
  const chain: Error[] = []
  for (let at: unknown = cause; at instanceof Error; at = at.cause) chain.push(at)
  const isLate = chain.some(error => error instanceof TimeoutError || /^(Timeout|Abort)Error$/.test(error.name))
  if (isLate) return `no answer within ${timeoutMs / 1000} s`
  const status = chain.find(error => error instanceof HttpRequestError)?.status
  if (status !== undefined) return `HTTP status ${status}`
  if (chain.some(error => error instanceof SyntaxError)) return 'an answer that is not JSON'
  const code = chain.map(error => (error as NodeJS.ErrnoException).code).find(value => typeof value === 'string')
  return code === undefined ? 'no connection' : `no connection: ${code}`
}
