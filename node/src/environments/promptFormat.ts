import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'

/**
 * Converts tasks to tokens, and tokens to text, in one environment: the same for every peer, bit for bit. A large tokenizer works in its own
 * thread, so its methods are asynchronous.
 */
export type PromptFormat<P = object> = {
  /** Ends a completion; `moreStopTokens` do too. */
  readonly stopToken: number
  readonly moreStopTokens: readonly number[]
  /** Ids of tokens are below this. */
  readonly vocabSize: number
  /** Bytes of a token in a bundle. */
  readonly tokenBytes: 2 | 4
  /** Prompt tokens for a solver's problem. */
  solverPrompt(problem: P): Promise<Int32Array>
  /** The text of a completion, its end token dropped and any other special token kept visible, so that it breaks the form. */
  completionText(tokens: Int32Array, ended: boolean): Promise<string>
}

/** The part of a published model's tokenizer that prompts use. */
export type ChatTokenizer = {
  readonly endTokens: readonly number[]
  encode(text: string): Promise<Int32Array>
  decode(ids: Int32Array, special: 'keep'): Promise<string>
  chatPrompt(messages: readonly ChatMessage[]): Promise<Int32Array>
}

/** The part of a format that is the same for all chat models: the end of completions, and their text. */
export function chatCompletions(tokenizer: ChatTokenizer, vocabSize: number) {
  const [stopToken, ...moreStopTokens] = tokenizer.endTokens as [number, ...number[]]
  return {
    stopToken,
    moreStopTokens,
    vocabSize,
    tokenBytes: 4 as const,
    completionText(tokens: Int32Array, ended: boolean) {
      const length = ended && tokenizer.endTokens.includes(tokens.at(-1) as number) ? tokens.length - 1 : tokens.length
      return tokenizer.decode(tokens.subarray(0, length), 'keep')
    },
  }
}

/** Prompt tokens of a request under a system message. @param before - turns of the conversation before it. */
export function ask(
  tokenizer: ChatTokenizer,
  system: string,
  content: string,
  before: readonly ChatMessage[] = [],
): Promise<Int32Array> {
  return tokenizer.chatPrompt([{ role: 'system', content: system }, ...before, { role: 'user', content }])
}
