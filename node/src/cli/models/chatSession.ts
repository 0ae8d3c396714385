import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { GenerateOptions } from '#model/generation/completion.ts'
import type { Generator } from '#model/generation/generate.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { TextStream } from '../textStream.ts'

/** Minimum positions reserved for an answer; older messages are dropped to fit. */
const LEAST_ANSWER_TOKENS = 64

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
  readonly #messages: ChatMessage[] = []
  #turn = 0

  constructor(model: ChatModel, settings: ChatSettings) {
    this.#model = model
    this.#settings = settings
    this.#system = settings.system === undefined ? [] : [{ role: 'system', content: settings.system }]
  }

  /**
   * @param onText - called with the answer's text as it is generated.
   * @param signal - stops the answer; its outcome stays in the conversation.
   * @throws {ModelInputError} if the message alone is longer than the model's positions; it is not kept.
   */
  async answer(message: string, onText: (text: string) => void, signal?: AbortSignal): Promise<ChatAnswer> {
    this.#messages.push({ role: 'user', content: message })
    const tokens: number[] = []
    try {
      const { prompt, forgotten } = this.#prompt()
      const { ended } = await this.#generate(prompt, tokens, onText, signal)
      const text = this.#model.tokenizer.decode(tokens)
      this.#messages.push({ role: 'assistant', content: text })
      return { text, tokens, ended, forgotten }
    } catch (error) {
      this.#messages.pop()
      throw error
    }
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

  /** The conversation, its oldest turns left out until an answer fits. */
  #prompt(): { prompt: Int32Array; forgotten: number } {
    const { config, tokenizer } = this.#model
    for (let forgotten = 0; ; forgotten += 2) {
      const prompt = tokenizer.chatPrompt([...this.#system, ...this.#messages])
      if (this.#messages.length === 1 || prompt.length + LEAST_ANSWER_TOKENS <= config.maxPositions)
        return { prompt, forgotten }
      this.#messages.splice(0, 2)
    }
  }
}
