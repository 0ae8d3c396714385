import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import type { Level } from '../level.ts'
import { ask, type ChatTokenizer, chatCompletions, type PromptFormat } from '../promptFormat.ts'
import { seededRandom } from '../seededRandom.ts'
import { drawInputs } from './curriculum/drawInputs.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { evaluate } from './curriculum/evaluate.ts'
import { pythonRepr } from './curriculum/pythonValue.ts'
import { callOf } from './curriculum/strictTests.ts'
import type { Problem } from './curriculum/task.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import { formatProposal } from './parseProposal.ts'
import {
  completionText,
  type PromptTokenizer,
  type ProposalForm,
  proposalPrompt,
  proposalRequest,
  requestText,
  solverPrompt,
  starterSpecials,
} from './prompts.ts'
import { repairTask } from './repairTask.ts'

/** Also asks for proposals. */
export type CodeZeroFormat = PromptFormat<Problem> & {
  /** Prompt tokens that ask for a proposal: of a function to write, or of a broken one to repair. */
  proposalPrompt(level: number, form: ProposalForm): Promise<Int32Array>
  /** Tokens of a text, without those of a turn around it. */
  encode(text: string): Promise<Int32Array>
}

/** Prompts of the starter models: `<user>` request `<asst>`. */
export function starterFormat(tokenizer: PromptTokenizer & { readonly vocabSize: number }): CodeZeroFormat {
  return {
    stopToken: tokenizer.special(starterSpecials[0]),
    moreStopTokens: [],
    vocabSize: tokenizer.vocabSize,
    tokenBytes: 2,
    solverPrompt: async problem => solverPrompt(tokenizer, problem),
    proposalPrompt: async (level, form) => proposalPrompt(tokenizer, level, form),
    completionText: async (tokens, ended) => completionText(tokenizer, tokens, ended),
    encode: async text => tokenizer.encode(text),
  }
}

/** The prompts part of a specification. */
export type ChatPrompts = Extract<CodeZeroSpec['prompts'], { format: 'chat' }>

/** Prompts of chat models, by their own template, with the system messages that the specification names. */
export function chatFormat(tokenizer: ChatTokenizer, prompts: ChatPrompts): CodeZeroFormat {
  return {
    ...chatCompletions(tokenizer, prompts.vocabSize),
    solverPrompt: problem => ask(tokenizer, prompts.solver, requestText(problem)),
    encode: text => tokenizer.encode(text),
    proposalPrompt: (level, form) => tokenizer.chatPrompt(proposalMessages(prompts, level, form)),
  }
}

/** The prompt that asks a chat model for a proposal. */
export function proposalMessages(
  { proposer }: Pick<ChatPrompts, 'proposer'>,
  level: number,
  form: ProposalForm,
): ChatMessage[] {
  const content = `${exampleProposal(level, form)}\n\n${proposalRequest(level, form)}`
  return [
    { role: 'system', content: proposer },
    { role: 'user', content },
  ]
}

/** A fixed example proposal of the level and form, from which a chat model learns the form. */
function exampleProposal(level: number, form: ProposalForm): string {
  const random = seededRandom(`example proposal ${level}`)
  const task = drawTrainingTask(level as Level, random)
  const tests = drawInputs(task.meaning, random)
    .slice(0, 2)
    .map(args => `assert ${callOf(task, args)} == ${pythonRepr(evaluate(task.meaning, args))}`)
  const problem = form === 'repair' ? repairTask(task, random) : task
  return `Level ${level}:\n${formatProposal({ problem, tests })}`
}
