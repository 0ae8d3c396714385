import { z } from 'zod'
import type { Clock } from '#core/clock.ts'
import { ChatServerError } from './chatServerError.ts'
import type { ServerAddress } from './serverAddress.ts'

type ServedMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

/** How many answers to one conversation, and how they are sampled. */
type WriteRequest = {
  readonly count: number
  readonly temperature: number
  readonly maxNewTokens: number
  /** Hex: answers that a server can repeat are the same for the same seed. */
  readonly seed: string
  /** Answers that come later are not waited for, and are missing. */
  readonly until: AbortSignal
}

/** A chat model on a server, asked for probabilities of a word, or for answers. */
type ChatServer = {
  /**
   * Log-probabilities of words as the first token of an answer, one row a conversation.
   *
   * Tokens count by their text, white space and case apart. A word that is not among those that the server names is as likely as the
   * least likely of them.
   *
   * @throws {ChatServerError}
   */
  chooseWord(conversations: readonly (readonly ServedMessage[])[], words: readonly string[]): Promise<number[][]>
  /**
   * Answers to a conversation, without thinking where the model's template can leave it out.
   *
   * @returns texts, fewer where the time was up, and whether each came to its end within the limit.
   * @throws {ChatServerError}
   */
  write(messages: readonly ServedMessage[], request: WriteRequest): Promise<{ text: string; ended: boolean }[]>
}

type ChatServerOptions = {
  readonly address: ServerAddress
  /** Sent to this server alone, as a bearer token; stands in no message. */
  readonly key?: string | undefined
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Of one answer, from the request to its last byte. 60 s for a word: a prompt of 4,000 tokens on a CPU; 300 s for a text. */
  readonly timeoutMs?: number
}

/** Waits before a server that is busy or away is asked again. */
const RETRY_MS = [500, 2_000, 8_000] as const
/** Asked at the same time: servers batch what comes together. */
const CONCURRENT = 8
const WORD_MS = 60_000
/** 512 tokens of a model of four billion parameters on a CPU, with others in the batch. */
const TEXT_MS = 300_000
/** Of Qwen3's template, by vLLM's and llama.cpp's name; other servers pass over it. */
const withoutThinking = { chat_template_kwargs: { enable_thinking: false } }
/** An answer of one token with its 20 alternatives has some 2 kB, one of 4,096 tokens some 20 kB. */
const MAX_BYTES = 1 << 20
/** Less likely words count as this likely: servers write -9999 for a token that is out of reach, whose probability is zero in floating point. */
const LEAST_LOGPROB = -100
/** The most that OpenAI and vLLM give. */
const ALTERNATIVES = 20

const least = (logprob: number) => Math.max(logprob, LEAST_LOGPROB)
const named = z.object({ token: z.string().max(500), logprob: z.number().max(0.01).transform(least) })
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        logprobs: z.object({ content: z.array(z.object({ top_logprobs: z.array(named).min(1).max(200) })).min(1) }),
      }),
    )
    .min(1),
})
const answerSchema = z.object({
  choices: z
    .array(z.object({ finish_reason: z.string().nullish(), message: z.object({ content: z.string().nullish() }) }))
    .min(1),
})
const modelsSchema = z.object({ data: z.array(z.object({ id: z.string().min(1).max(500) })).min(1) })

/** @throws {ChatServerError} if the key has characters that no key has. */
export function createChatServer(options: ChatServerOptions): ChatServer {
  const { address, key } = options
  // fetch would quote a malformed header, and so the key, in its error.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new ChatServerError('SERVER_DENIED', 'OPENAI_API_KEY holds characters that no key has.')
  let model = address.model
  const complete = async <T>(
    schema: z.ZodType<T>,
    body: object,
    timeoutMs: number,
    signal = options.signal,
  ): Promise<T> => {
    const patient = { timeoutMs, ...options, signal }
    model ??= readAs(modelsSchema, await request(patient, 'models')).data[0]?.id ?? ''
    return readAs(schema, await request(patient, 'chat/completions', JSON.stringify({ model, ...body })))
  }
  return {
    chooseWord: (conversations, words) =>
      inTurns(conversations, async messages => {
        const body = { messages, max_tokens: 1, temperature: 0, logprobs: true, top_logprobs: ALTERNATIVES }
        const { choices } = await complete(completionSchema, body, WORD_MS)
        const found = choices[0]?.logprobs.content[0]?.top_logprobs ?? []
        return words.map(word => wordLogprob(found, word))
      }),
    async write(messages, { count, temperature, maxNewTokens, seed, until }) {
      const signal = options.signal ? AbortSignal.any([options.signal, until]) : until
      const answers = await inTurns([...Array(count).keys()], async sample => {
        const own = (Number.parseInt(seed.replace(/^0x/, '').slice(0, 8), 16) + sample) % 2 ** 31
        const body = { messages, max_tokens: maxNewTokens, temperature, seed: own, ...withoutThinking }
        const { choices } = await complete(answerSchema, body, TEXT_MS, signal).catch(error => {
          if (until.aborted && !options.signal?.aborted) return { choices: [] }
          throw error
        })
        return choices.map(({ message, finish_reason }) => ({
          text: message.content ?? '',
          ended: finish_reason === 'stop',
        }))
      })
      return answers.flatMap(([first]) => first ?? [])
    },
  }
}

/** Asks for each item, some at the same time. @returns the answers in the order of the items. */
async function inTurns<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = []
  const left = items.entries()
  const work = async () => {
    for (const [at, item] of left) answers[at] = await ask(item)
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENT, items.length) }, work))
  return answers
}

function wordLogprob(found: readonly z.output<typeof named>[], word: string): number {
  const same = found.filter(({ token }) => token.trim().toLowerCase() === word)
  if (same.length === 0) return Math.min(...found.map(({ logprob }) => logprob))
  return Math.log(same.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0))
}

function readAs<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new ChatServerError(
    'SERVER_RESPONSE',
    `The server's answer has no ${error.issues[0]?.path.join('.') ?? 'content'}.`,
  )
}

/** One request, repeated while the server is busy or away. */
async function request(options: ChatServerOptions, path: string, body?: string): Promise<unknown> {
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
  { address, key, signal, timeoutMs = WORD_MS }: ChatServerOptions,
  path: string,
  body: string | undefined,
): Promise<unknown> {
  const url = new URL(path, address.base)
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      ...(body === undefined ? {} : { body }),
      redirect: 'error', // a key goes nowhere else
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw refusal(url, response.status)
    }
    return JSON.parse(await readText(response, url))
  } catch (cause) {
    if (cause instanceof ChatServerError) throw cause
    if (cause instanceof SyntaxError)
      throw new ChatServerError('SERVER_RESPONSE', `${url.host} does not answer with JSON.`)
    const reason = late.aborted ? `does not answer within ${timeoutMs / 1000} s` : 'cannot be reached'
    throw new ChatServerError('SERVER_OFFLINE', `${url.host} ${reason}.`, cause)
  }
}

function refusal({ host }: URL, status: number): ChatServerError {
  if (status === 401 || status === 403)
    return new ChatServerError('SERVER_DENIED', `${host} denies the request (${status}).`)
  if (status === 429 || status >= 500) return new ChatServerError('SERVER_BUSY', `${host} answers ${status}.`)
  return new ChatServerError('SERVER_RESPONSE', `${host} answers ${status}.`)
}

async function readText(response: Response, { host }: URL): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > MAX_BYTES) throw new ChatServerError('SERVER_RESPONSE', `${host} answers more than ${MAX_BYTES} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
