import { z } from 'zod'
import type { Clock } from '#core/clock.ts'
import { gatherBytes } from '#core/gatherBytes.ts'
import { ChatServerError } from './chatServerError.ts'
import type { ServerAddress } from './serverAddress.ts'

export type ServerOptions = {
  readonly address: ServerAddress
  /** Bearer token, sent only to this server; never part of a message. */
  readonly key?: string | undefined
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Time limit of one answer, from the request to its last byte. 60 s for a word: a prompt of 4,000 tokens on a CPU; 300 s for a text. */
  readonly timeoutMs?: number
}

/** Retry delays for a busy or unreachable server. */
const RETRY_MS = [500, 2_000, 8_000] as const
const ANSWER_MS = 60_000
/** An answer of one token with its 20 alternatives has some 2 kB, one of 4,096 tokens with their log-probabilities some 600 kB. */
const MAX_BYTES = 1 << 20
/** Less likely tokens count as this likely: servers write -9999 for one that is out of reach, whose probability is zero in floating point. */
const LEAST_LOGPROB = -100

export const logprobSchema = z
  .number()
  .max(0.01)
  .transform(logprob => Math.max(logprob, LEAST_LOGPROB))

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string().min(1).max(500) })).min(1) })

/** @throws {ChatServerError} if the key has characters that no key has: fetch would quote a malformed header in its error. */
export function checkKey({ key }: Pick<ServerOptions, 'key'>): void {
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new ChatServerError('SERVER_DENIED', 'OPENAI_API_KEY contains characters that no key has.')
}

/** Names of the models that a server serves, at least one. @throws {ChatServerError} */
export async function listModels(options: ServerOptions): Promise<string[]> {
  return readAs(modelsSchema, await requestJson(options, 'models')).data.map(({ id }) => id)
}

/** @throws {ChatServerError} SERVER_RESPONSE, naming what is missing without quoting the answer. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new ChatServerError(
    'SERVER_RESPONSE',
    `The server's answer has no ${error.issues[0]?.path.join('.') || 'content'}.`,
  )
}

/** The answer to a request, as JSON. @throws {ChatServerError} */
export async function requestJson(options: ServerOptions, path: string, body?: object): Promise<unknown> {
  const text = await requestText(options, path, body)
  try {
    return JSON.parse(text)
  } catch {
    throw new ChatServerError('SERVER_RESPONSE', `${new URL(options.address.base).host} does not answer with JSON.`)
  }
}

/** One request, retried while the server is busy or unreachable. @param body - posted as JSON. @throws {ChatServerError} */
export async function requestText(options: ServerOptions, path: string, body?: object): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await requestOnce(options, path, body)
    } catch (error) {
      options.signal?.throwIfAborted()
      const waitMs = RETRY_MS[attempt]
      if (!(error instanceof ChatServerError && error.retryable) || waitMs === undefined) throw error
      await options.clock.sleep(waitMs, options.signal)
    }
  }
}

async function requestOnce(
  { address, key, signal, timeoutMs = ANSWER_MS }: ServerOptions,
  path: string,
  body: object | undefined,
): Promise<string> {
  const url = new URL(path, address.base)
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error', // a key goes nowhere else
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw refusal(url, response.status)
    }
    return await readText(response, url)
  } catch (cause) {
    if (cause instanceof ChatServerError) throw cause
    const reason = late.aborted ? `does not answer within ${timeoutMs / 1000} s` : 'cannot be reached'
    throw new ChatServerError('SERVER_OFFLINE', `${url.host} ${reason}.`, cause)
  }
}

/** Key missing, no credit left, not allowed. */
const DENIALS: readonly number[] = [401, 402, 403]
/** Trouble that passes, as proxies report it: a model behind them was too slow, is locked, or gets too many requests. */
const PASSING: readonly number[] = [408, 409, 423, 425, 429]

function refusal({ host, pathname }: URL, status: number): ChatServerError {
  if (DENIALS.includes(status)) return new ChatServerError('SERVER_DENIED', `${host} denies the request (${status}).`)
  if (PASSING.includes(status) || status >= 500) return new ChatServerError('SERVER_BUSY', `${host} answers ${status}.`)
  if (status === 404 && pathname.endsWith('/completions'))
    return new ChatServerError('SERVER_MODEL', `${host} does not have the model (404).`)
  if (status >= 400) return new ChatServerError('SERVER_REFUSED', `${host} refuses the request (${status}).`)
  return new ChatServerError('SERVER_RESPONSE', `${host} answers ${status}.`)
}

async function readText({ body }: Response, { host }: URL): Promise<string> {
  if (body === null) return ''
  const bytes = await gatherBytes(body, MAX_BYTES)
  if (bytes === null) throw new ChatServerError('SERVER_RESPONSE', `${host} answers more than ${MAX_BYTES} bytes.`)
  return bytes.toString('utf8')
}
