import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { GenerateOptions } from '#model/generation/completion.ts'
import type { Generator } from '#model/generation/generate.ts'
import { ModelFileError, ModelInputError } from '#model/modelErrors.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { TextStream } from '../textStream.ts'

/** Minimum positions reserved for an answer; older messages are dropped to fit. */
const LEAST_ANSWER_TOKENS = 64

/** A failure of the template or of the tokenizer on a shorter text is a fault of their files; their limits are larger. */
const LONG_CHARACTERS = 1 << 16

interface ChatModel {
  readonly config: DecoderConfig
  readonly generator: Generator
  readonly tokenizer: PretrainedTokenizer
}

export interface ChatSettings extends Pick<GenerateOptions, 'topK' | 'topP' | 'minP' | 'repetitionPenalty'> {
  readonly system?: string | undefined
  readonly maxNewTokens: number
  readonly temperature: number
  /** Tokens that end an answer, at least one. */
  readonly stopTokens: readonly number[]
  readonly seed: string
}

export interface ChatAnswer {
  readonly text: string
  /** Includes the token that ended the answer, if there was one. */
  readonly tokens: readonly number[]
  /** Whether the model ended it: otherwise its length did, or the signal. */
  readonly ended: boolean
  /** Messages that were dropped from the conversation, because they no longer fit into the model's positions. */
  readonly forgotten: number
}

/** A conversation with a model; each answer sees all previous messages. */
export class ChatSession {
  readonly #model: ChatModel
  readonly #settings: ChatSettings
  readonly #system: readonly ChatMessage[]
  #messages: readonly ChatMessage[] = []
  #turn = 0

  constructor(model: ChatModel, settings: ChatSettings) {
    this.#model = model
    this.#settings = settings
    this.#system = settings.system === undefined ? [] : [{ role: 'system', content: settings.system }]
  }

  /**
   * @param onText - called with the answer's text as it is generated.
   * @param signal - stops the answer; its outcome stays in the conversation.
   * @throws {ModelInputError} if the message alone is too long. As after any other error, the conversation stays as it was.
   */
  async answer(message: string, onText: (text: string) => void, signal?: AbortSignal): Promise<ChatAnswer> {
    const { messages, prompt, forgotten } = this.#fitting({ role: 'user', content: message })
    const tokens: number[] = []
    const { ended } = await this.#generate(prompt, tokens, onText, signal)
    const text = this.#model.tokenizer.decode(tokens)
    this.#messages = [...messages, { role: 'assistant', content: this.#withoutThoughts(tokens, text) }]
    return { text, tokens, ended, forgotten }
  }

  /**
   * An answer without a reasoning model's thoughts, which end at the last `</think>`. Templates of such models leave them out, but they look for that
   * name, and names of control tokens are broken up in a message.
   */
  #withoutThoughts(tokens: readonly number[], text: string): string {
    const { tokenizer } = this.#model
    const end = tokenizer.thoughtsEnd === null ? -1 : tokens.lastIndexOf(tokenizer.thoughtsEnd)
    return end < 0 ? text : tokenizer.decode(tokens.slice(end + 1)).replace(/^\n+/, '')
  }

  async #generate(
    prompt: Int32Array,
    tokens: number[],
    onText: (text: string) => void,
    signal: AbortSignal | undefined,
  ): Promise<{ ended: boolean }> {
    const { generator, tokenizer } = this.#model
    const { stopTokens, system: _, ...sampling } = this.#settings
    const stream = new TextStream(ids => tokenizer.decode(ids))
    try {
      const [completion] = await generator.generate({
        ...sampling,
        prompts: [prompt],
        samplesPerPrompt: 1,
        stopToken: stopTokens[0] ?? -1,
        moreStopTokens: stopTokens.slice(1),
        seed: `${sampling.seed}/${this.#turn++}`,
        onToken({ token }) {
          tokens.push(token)
          onText(stream.push(token))
        },
        ...(signal ? { signal } : {}),
      })
      return { ended: completion?.ended ?? false }
    } catch (error) {
      if (!signal?.aborted) throw error
      return { ended: false }
    } finally {
      onText(stream.end())
    }
  }

  /**
   * The conversation up to a message, its oldest turns left out until an answer fits.
   *
   * @throws {ModelInputError} if not even the message alone fits.
   */
  #fitting(message: ChatMessage): { messages: readonly ChatMessage[]; prompt: Int32Array; forgotten: number } {
    const { maxPositions } = this.#model.config
    const alone = this.#prompt([message])
    if (alone.length >= maxPositions)
      throw tooLong(`it takes ${alone.length} tokens, and the model has ${maxPositions} positions`)
    for (let forgotten = 0; forgotten < this.#messages.length; forgotten += 2) {
      const messages = [...this.#messages.slice(forgotten), message]
      const prompt = this.#promptIfShort(messages)
      if (prompt && prompt.length + LEAST_ANSWER_TOKENS <= maxPositions) return { messages, prompt, forgotten }
    }
    return { messages: [message], prompt: alone, forgotten: this.#messages.length }
  }

  #promptIfShort(messages: readonly ChatMessage[]): Int32Array | undefined {
    try {
      return this.#prompt(messages)
    } catch (error) {
      if (error instanceof ModelInputError) return undefined
      throw error
    }
  }

  /** @throws {ModelInputError} if the messages are longer than the tokenizer and its template can process. */
  #prompt(messages: readonly ChatMessage[]): Int32Array {
    const all = [...this.#system, ...messages]
    try {
      return this.#model.tokenizer.chatPrompt(all)
    } catch (cause) {
      const characters = all.reduce((sum, { content }) => sum + content.length, 0)
      // Both worked when they were read, so a long text has exceeded their limits.
      if (!(cause instanceof ModelFileError) || characters < LONG_CHARACTERS) throw cause
      throw tooLong(`${characters} characters are more than the chat template or the tokenizer can process`, cause)
    }
  }
}

function tooLong(problem: string, cause?: unknown): ModelInputError {
  return new ModelInputError(`The text is too long: ${problem}.`, {
    hint: 'Shorten the message, or the system message.',
    cause,
  })
}
