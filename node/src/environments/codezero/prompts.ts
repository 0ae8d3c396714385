import type { Problem } from './curriculum/task.ts'

/** Special tokens of the starter models' tokenizer, ids 0 to 4 in this order. */
export const starterSpecials = ['<eos>', '<user>', '<asst>', '<judge>', '<no>'] as const

/** The part of a tokenizer that prompts need. Text never becomes a special token. */
export type PromptTokenizer = {
  encode(text: string): Int32Array
  decode(ids: ArrayLike<number>, special?: 'drop' | 'keep'): string
  special(name: string): number
}

/** The function's header and text, without tests. A judge sees only this, even for a repair task. */
export function problemText({ name, parameters, text }: Problem): string {
  return `Write ${name}(${parameters.join(', ')}). ${text}`
}

/** The problem as shown to a solver: the function's description, or the broken function to repair. */
export function requestText(problem: Problem): string {
  const { name, parameters, text, broken } = problem
  if (broken === undefined) return problemText(problem)
  return `Repair ${name}(${parameters.join(', ')}). ${text}\n${answerText(broken)}`
}

/** Form of a proposal: write or repair. */
export type ProposalForm = 'write' | 'repair'

/** A proposer's request. */
export function proposalRequest(level: number, form: ProposalForm = 'write'): string {
  return form === 'write' ? `Propose level ${level}.` : `Propose level ${level}, a broken function to repair.`
}

/** Start of a right answer. */
export const answerOpening = '```python\n'

/** A right answer's form: one fenced Python block and nothing else. */
export function answerText(code: string): string {
  return `${answerOpening}${code}\`\`\``
}

/** Prompt of a starter model: `<user>` request `<asst>`. The completion ends with `<eos>`. */
function starterPrompt(tokenizer: PromptTokenizer, request: string): Int32Array {
  return Int32Array.of(tokenizer.special('<user>'), ...tokenizer.encode(request), tokenizer.special('<asst>'))
}

/** Prompt tokens for a solver's problem. */
export function solverPrompt(tokenizer: PromptTokenizer, problem: Problem): Int32Array {
  return starterPrompt(tokenizer, requestText(problem))
}

/** Prompt tokens that ask for a proposal. */
export function proposalPrompt(tokenizer: PromptTokenizer, level: number, form: ProposalForm = 'write'): Int32Array {
  return starterPrompt(tokenizer, proposalRequest(level, form))
}

/** The text of a completion, its end token dropped and any other special token kept visible, so that it breaks the form. */
export function completionText(tokenizer: PromptTokenizer, tokens: Int32Array, ended: boolean): string {
  const eos = tokenizer.special('<eos>')
  const length = ended && tokens.at(-1) === eos ? tokens.length - 1 : tokens.length
  return tokenizer.decode(tokens.subarray(0, length), 'keep')
}
