import type { ChatMessage } from '#model/chatTemplate.ts'
import { drawInputs } from './curriculum/drawInputs.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { evaluate } from './curriculum/evaluate.ts'
import { pythonRepr } from './curriculum/pythonValue.ts'
import { seededRandom } from './curriculum/seededRandom.ts'
import { callOf } from './curriculum/strictTests.ts'
import type { Level, Problem } from './curriculum/task.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'
import { formatProposal } from './parseProposal.ts'
import {
  completionText,
  type PromptTokenizer,
  problemText,
  proposalPrompt,
  proposalRequest,
  solverPrompt,
  starterSpecials,
} from './prompts.ts'

/**
 * How tasks become tokens, and tokens text, in one environment: the same for every peer, bit for bit. A large tokenizer works
 * in a thread of its own, so what is asked of it is awaited.
 */
export type PromptFormat = {
  /** Ends a completion; `moreStopTokens` do too. */
  readonly stopToken: number
  readonly moreStopTokens: readonly number[]
  /** Ids of tokens are below this. */
  readonly vocabSize: number
  /** Bytes of a token in a bundle. */
  readonly tokenBytes: 2 | 4
  /** Prompt tokens for a solver's problem. */
  solverPrompt(problem: Problem): Promise<Int32Array>
  /** Prompt tokens that ask for a proposal. */
  proposalPrompt(level: number): Promise<Int32Array>
  /** The text of a completion, its end token dropped and any other special token kept visible, so that it breaks the form. */
  completionText(tokens: Int32Array, ended: boolean): Promise<string>
}

/** Prompts of the starter models: `<user>` request `<asst>`. */
export function starterFormat(tokenizer: PromptTokenizer & { readonly vocabSize: number }): PromptFormat {
  return {
    stopToken: tokenizer.special(starterSpecials[0]),
    moreStopTokens: [],
    vocabSize: tokenizer.vocabSize,
    tokenBytes: 2,
    solverPrompt: async problem => solverPrompt(tokenizer, problem),
    proposalPrompt: async level => proposalPrompt(tokenizer, level),
    completionText: async (tokens, ended) => completionText(tokenizer, tokens, ended),
  }
}

/** What prompts need of a published model's tokenizer. */
export type ChatTokenizer = {
  readonly endTokens: readonly number[]
  encode(text: string): Promise<Int32Array>
  decode(ids: Int32Array, special: 'keep'): Promise<string>
  chatPrompt(messages: readonly ChatMessage[]): Promise<Int32Array>
}

/** The part of a specification that chat models are prompted by. */
export type ChatPrompts = Extract<EnvironmentSpec['prompts'], { format: 'chat' }>

/** Prompts of chat models, by their own template, with the system messages that the specification names. */
export function chatFormat(tokenizer: ChatTokenizer, prompts: ChatPrompts): PromptFormat {
  const [stopToken, ...moreStopTokens] = tokenizer.endTokens as [number, ...number[]]
  const ask = (system: string, content: string) =>
    tokenizer.chatPrompt([
      { role: 'system', content: system },
      { role: 'user', content },
    ])
  return {
    stopToken,
    moreStopTokens,
    vocabSize: prompts.vocabSize,
    tokenBytes: 4,
    solverPrompt: problem => ask(prompts.solver, problemText(problem)),
    proposalPrompt: level => ask(prompts.proposer, `${exampleProposal(level)}\n\n${proposalRequest(level)}`),
    completionText(tokens, ended) {
      const length = ended && tokenizer.endTokens.includes(tokens.at(-1) as number) ? tokens.length - 1 : tokens.length
      return tokenizer.decode(tokens.subarray(0, length), 'keep')
    },
  }
}

/** One proposal of the level, always the same: a chat model learns the form from it. */
function exampleProposal(level: number): string {
  const random = seededRandom(`example proposal ${level}`)
  const task = drawTrainingTask(level as Level, random)
  const tests = drawInputs(task.meaning, random)
    .slice(0, 2)
    .map(args => `assert ${callOf(task, args)} == ${pythonRepr(evaluate(task.meaning, args))}`)
  return `Level ${level}:\n${formatProposal({ problem: task, tests })}`
}
