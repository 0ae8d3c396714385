import { z } from 'zod'
import { mapConcurrently } from '#core/mapConcurrently.ts'
import { ChatServerError } from './chatServerError.ts'
import { checkKey, listModels, logprobSchema, readAs, requestJson, type ServerOptions } from './serverRequest.ts'

type ServedMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

/** Number of answers to one conversation, and their sampling. */
type WriteRequest = {
  readonly count: number
  readonly temperature: number
  readonly maxNewTokens: number
  /** Hex: a server with reproducible sampling gives the same answers for the same seed. */
  readonly seed: string
  /** Answers that arrive later are dropped. */
  readonly until: AbortSignal
}

/** A chat model on a server, asked for probabilities of a word, or for answers. */
type ChatServer = {
  /**
   * Log-probabilities of words as the first token of an answer without thinking, one row a conversation.
   *
   * Tokens count by their text, white space and case apart. A word that the server does not list counts as likely as the least likely
   * listed one. A conversation that the server refuses, as one longer than its context, has no row but null.
   *
   * @throws {ChatServerError} also if it refuses all of them, or lacks the model: nulls would be taken for its judgement.
   */
  chooseWord(
    conversations: readonly (readonly ServedMessage[])[],
    words: readonly string[],
  ): Promise<(number[] | null)[]>
  /**
   * Answers to a conversation, without thinking if the model's template can turn it off.
   *
   * @returns texts, each with whether it ended within the limit; fewer if the time was up, or if the server failed at others. Its failure comes first.
   * @throws {ChatServerError} if no text came.
   */
  write(
    messages: readonly ServedMessage[],
    request: WriteRequest,
  ): Promise<{ text: string; ended: boolean; failure?: string }[]>
}

/** Asked at the same time: servers batch what comes together. */
const CONCURRENT = 8
const WORD_MS = 60_000
/** 512 tokens of a model of four billion parameters on a CPU, with others in the batch. */
const TEXT_MS = 300_000
/** Option of Qwen3's template, as vLLM and llama.cpp name it; templates here get the same. Servers that refuse unknown fields refuse it. */
const withoutThinking = { chat_template_kwargs: { enable_thinking: false } }
/** Maximum of OpenAI and vLLM. */
const ALTERNATIVES = 20

const named = z.object({ token: z.string().max(500), logprob: logprobSchema })
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

/** @throws {ChatServerError} if the key has characters that no key has. */
export function createChatServer(options: ServerOptions): ChatServer {
  checkKey(options)
  let { model } = options.address
  const complete = async <T>(
    schema: z.ZodType<T>,
    body: object,
    timeoutMs: number,
    signal = options.signal,
  ): Promise<T> => {
    const patient = { timeoutMs, ...options, signal }
    model ??= (await listModels(patient))[0] ?? ''
    return readAs(schema, await requestJson(patient, 'chat/completions', { model, ...body }))
  }
  return {
    async chooseWord(conversations, words) {
      let refusal: ChatServerError | undefined
      const rows = await mapConcurrently(conversations, CONCURRENT, async messages => {
        const asked = { messages, max_tokens: 1, temperature: 0, logprobs: true, top_logprobs: ALTERNATIVES }
        const body = { ...asked, ...withoutThinking }
        try {
          const { choices } = await complete(completionSchema, body, WORD_MS)
          const found = choices[0]?.logprobs.content[0]?.top_logprobs ?? []
          return words.map(word => wordLogprob(found, word))
        } catch (error) {
          if (!(error instanceof ChatServerError && error.code === 'SERVER_REFUSED')) throw error
          refusal = error
          return null
        }
      })
      if (refusal && rows.every(row => row === null)) throw refusal
      return rows
    },
    async write(messages, { count, temperature, maxNewTokens, seed, until }) {
      const signal = options.signal ? AbortSignal.any([options.signal, until]) : until
      let failure: ChatServerError | undefined
      const answers = await mapConcurrently([...Array(count).keys()], CONCURRENT, async sample => {
        if (failure && !concernsOne(failure)) return []
        const own = (Number.parseInt(seed.replace(/^0x/, '').slice(0, 8), 16) + sample) % 2 ** 31
        const body = { messages, max_tokens: maxNewTokens, temperature, seed: own, ...withoutThinking }
        try {
          const { choices } = await complete(answerSchema, body, TEXT_MS, signal)
          return choices
        } catch (error) {
          if (until.aborted && !options.signal?.aborted) return []
          if (!(error instanceof ChatServerError)) throw error
          if (!failure || concernsOne(failure)) failure = error
          return []
        }
      })
      const written = answers.flatMap(([first]) => first ?? [])
      if (failure && written.length === 0) throw failure
      const texts = written.map(({ message, finish_reason }) => ({
        text: message.content ?? '',
        ended: finish_reason === 'stop',
      }))
      return failure ? [{ text: '', ended: false, failure: failure.message }, ...texts] : texts
    },
  }
}

/** Whether an error may be one answer's: another of the same request may come. */
const concernsOne = ({ code }: ChatServerError) => code === 'SERVER_REFUSED' || code === 'SERVER_RESPONSE'

function wordLogprob(found: readonly z.output<typeof named>[], word: string): number {
  const same = found.filter(({ token }) => token.trim().toLowerCase() === word)
  if (same.length === 0) return Math.min(...found.map(({ logprob }) => logprob))
  return Math.log(same.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0))
}
