import type { Across } from '#base/threads/workerCalls.ts'
import type { ChatMessage } from './chatTemplate.ts'

/** Properties of a tokenizer, known after reading it. */
export interface TokenizerFacts {
  /** sha-256 of everything that determines encoding, decoding and the chat template. */
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

/** Arguments of the thread. */
export interface TokenizerSource {
  readonly folder: string
  /** Expected hash, if the tokenizer was read before. */
  readonly hash: `0x${string}` | undefined
}
