import type { Across } from '#base/threads/workerCalls.ts'
import type { ChatMessage } from './chatTemplate.ts'

/** What is known of a tokenizer once it is read. */
export interface TokenizerFacts {
  /** sha-256 over all that decides how a conversation becomes tokens and tokens become text. */
  readonly hash: `0x${string}`
  /** Ids that end a completion; the first is the tokenizer's own end of a turn. */
  readonly endTokens: readonly number[]
  /** One more than the largest id. */
  readonly vocabSize: number
}

/** The operations of the tokenizer's thread: name, arguments, result. They are those of `PretrainedTokenizer`. */
export interface TokenizerOperations {
  facts(): TokenizerFacts
  encode(text: string): Int32Array
  decode(ids: ArrayLike<number>, special?: 'drop' | 'keep'): string
  chatPrompt(messages: readonly ChatMessage[]): Int32Array
}

export type TokenizerOperation = keyof TokenizerOperations

/** The same operations across a boundary. */
export type TokenizerHandlers = Across<TokenizerOperations>

/** What the thread is started with. */
export interface TokenizerSource {
  readonly folder: string
  /** What it must be, where it was read before. */
  readonly hash: `0x${string}` | undefined
}
