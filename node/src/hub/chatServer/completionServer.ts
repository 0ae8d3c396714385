import { z } from 'zod'
import { ChatServerError } from './chatServerError.ts'
import {
  checkKey,
  listModels,
  logprobSchema,
  readAs,
  requestJson,
  requestText,
  type ServerOptions,
} from './serverRequest.ts'

type CompletionRequest = {
  readonly prompt: Int32Array
  readonly maxNewTokens: number
  readonly temperature: number
  readonly topP: number
  readonly stopTokens: readonly number[]
  /** From 0 to 2^31 - 1. */
  readonly seed: number
  /** Name of a loaded adapter; null for the server's own model. */
  readonly adapter: string | null
  readonly signal: AbortSignal
}

/** A sample as reported by the server; only its form is checked. */
export type ServedCompletion = {
  /** Null if the server names none. */
  readonly tokens: Int32Array | null
  /** Text of each token, decoded by the server on its own. */
  readonly pieces: readonly string[]
  /** [pieces.length], none below -100. */
  readonly logprobs: Float32Array
  /** False if the token limit cut it off. */
  readonly ended: boolean
}

/** A server that continues token sequences with a model, and with adapters loaded at run time. */
export type CompletionServer = {
  /** One sample. @throws {ChatServerError} */
  complete(request: CompletionRequest): Promise<ServedCompletion>
  /** Names of the models that it serves. @throws {ChatServerError} */
  models(signal: AbortSignal): Promise<readonly string[]>
  /** Makes the server load a PEFT adapter from a folder on its disk under this name. @throws {ChatServerError} */
  loadAdapter(name: string, folder: string, signal: AbortSignal): Promise<void>
  /** @throws {ChatServerError} also if it has no adapter of that name. */
  unloadAdapter(name: string, signal: AbortSignal): Promise<void>
}

/** 512 tokens of a model of four billion parameters on a CPU, with others in the batch. */
const COMPLETION_MS = 300_000
/** A file of 130 MB from a slow disk. */
const LOAD_MS = 120_000

/** Sampling by temperature and top-p alone: what vLLM would take from generation_config.json, and llama.cpp by default, is turned off. */
const unfiltered = { top_k: -1, min_p: 0, repetition_penalty: 1 } as const

const idSchema = z.int().min(0).max(0x7fff_ffff)
const choiceSchema = z.object({
  finish_reason: z.enum(['stop', 'length']),
  /** vLLM, asked by `return_token_ids`. */
  token_ids: z.array(idSchema).nullish(),
  logprobs: z.union([
    // OpenAI's form, and vLLM's.
    z.object({ tokens: z.array(z.string()), token_logprobs: z.array(logprobSchema) }),
    // llama.cpp's.
    z.object({ content: z.array(z.object({ id: idSchema.optional(), token: z.string(), logprob: logprobSchema })) }),
  ]),
})
const completionSchema = z.object({ choices: z.array(choiceSchema).length(1) })

/** @throws {ChatServerError} if the key has characters that no key has. */
export function createCompletionServer(options: ServerOptions): CompletionServer {
  checkKey(options)
  let { model } = options.address
  const asked = (timeoutMs: number, until: AbortSignal) => {
    const signal = options.signal ? AbortSignal.any([options.signal, until]) : until
    return { timeoutMs, ...options, signal }
  }
  return {
    async complete({ prompt, maxNewTokens, temperature, topP, stopTokens, seed, adapter, signal }) {
      const patient = asked(COMPLETION_MS, signal)
      model ??= (await listModels(patient))[0] ?? null
      const body = {
        ...{ model: adapter ?? model, prompt: [...prompt], max_tokens: maxNewTokens, temperature, top_p: topP, seed },
        ...{ ...unfiltered, stop_token_ids: stopTokens, logprobs: 1, return_token_ids: true },
      }
      const { choices } = readAs(completionSchema, await requestJson(patient, 'completions', body))
      return completionOf(choices[0] as z.output<typeof choiceSchema>)
    },
    models: signal => listModels(asked(LOAD_MS, signal)),
    async loadAdapter(name, folder, signal) {
      await requestText(asked(LOAD_MS, signal), 'load_lora_adapter', { lora_name: name, lora_path: folder })
    },
    async unloadAdapter(name, signal) {
      await requestText(asked(LOAD_MS, signal), 'unload_lora_adapter', { lora_name: name })
    },
  }
}

/** @throws {ChatServerError} unless it has one log-probability per token. */
function completionOf({ token_ids, logprobs: said, finish_reason }: z.output<typeof choiceSchema>): ServedCompletion {
  const isContent = 'content' in said
  const pieces = isContent ? said.content.map(({ token }) => token) : said.tokens
  const logprobs = isContent ? said.content.map(({ logprob }) => logprob) : said.token_logprobs
  const named = isContent ? said.content.map(({ id }) => id) : said.tokens.map(idIn)
  const ids = token_ids ?? named.filter(id => id !== undefined)
  const isSound = logprobs.length === pieces.length && [0, pieces.length].includes(ids.length)
  if (!isSound) throw new ChatServerError('SERVER_RESPONSE', "The server's answer needs one log-probability per token.")
  return {
    tokens: ids.length === 0 ? null : Int32Array.from(ids),
    pieces,
    logprobs: Float32Array.from(logprobs),
    ended: finish_reason === 'stop',
  }
}

/** The id in a token's name by vLLM, if it was started with --return-tokens-as-token-ids. */
function idIn(token: string): number | undefined {
  const id = /^token_id:(\d{1,9})$/.exec(token)?.[1]
  return id === undefined ? undefined : Number(id)
}
