import { mapYielding } from '#core/threads/mapYielding.ts'
import type { ChatMessage } from '#model/tokenizers/chatTemplate.ts'
import type { TokenChooser } from '../../environment.ts'
import type { ChatTokenizer } from '../../promptFormat.ts'
import type { CodeZeroSpec } from '../environmentSpec.ts'
import { problemText } from '../prompts.ts'
import { shownCode } from '../python/shownCode.ts'
import { calibratedOdds } from './calibrateTrueFalse.ts'
import type { CodeJudge, JudgedPair } from './createJudge.ts'

/** The part of a specification that names a chat model as judge. */
export type TrueFalseRule = Extract<CodeZeroSpec['judge'], { kind: 'trueFalse' }>

/** Tokens of the longest pair: a round's limits allow only far shorter ones. */
const MAX_TOKENS = 4095

/** The judge's two answers. */
export const judgeWords = ['true', 'false'] as const

/**
 * A judge that asks a frozen chat model whether code does what its problem says, and reads the probability of 'true' against 'false'
 * off the logits of its first token: sigmoid(bias + slope * log(p(true) / p(false))). Nothing is generated, and no sentence is
 * parsed.
 *
 * The judge sees the code as `shownCode` renders it, without text that addresses the judge.
 *
 * @param maxPositions - the model's longest sequence, tokens; a longer pair counts as wrong.
 * @throws {RangeError} if the tokenizer starts both words with the same token.
 */
export async function trueFalseJudge(
  scorer: TokenChooser,
  tokenizer: ChatTokenizer,
  rule: TrueFalseRule,
  maxPositions: number,
): Promise<CodeJudge> {
  const { calibration } = rule
  const evidence = await trueFalseEvidence(scorer, tokenizer, rule, maxPositions)
  return {
    async predictCorrectness(pairs) {
      const found = await evidence(pairs)
      return found.map(odds => (odds === null ? 0 : calibratedOdds(odds, calibration)))
    },
  }
}

/**
 * Log-odds of 'true' against 'false' for each pair; null if the code is not valid Python, computes a
 * constant, or the pair is too long.
 *
 * @param rule - its calibration is not read.
 */
export async function trueFalseEvidence(
  scorer: TokenChooser,
  tokenizer: ChatTokenizer,
  rule: Pick<TrueFalseRule, 'system' | 'question'>,
  maxPositions: number,
): Promise<(pairs: readonly JudgedPair[]) => Promise<(number | null)[]>> {
  const answers = await Promise.all(judgeWords.map(async word => (await tokenizer.encode(word))[0] as number))
  if (answers[0] === answers[1]) throw new RangeError("the judge's tokenizer starts 'true' and 'false' alike")
  const maxTokens = Math.min(maxPositions, MAX_TOKENS)
  return async pairs => {
    const prompts = await mapYielding(pairs, pair => judgePrompt(tokenizer, rule, pair))
    const readable = prompts.flatMap(prompt => (prompt && prompt.length <= maxTokens ? [prompt] : []))
    const choices = readable.map(tokens => ({ tokens, candidates: answers }))
    const logprobs = choices.length > 0 ? await scorer.choose(choices) : []
    const odds = new Map(logprobs.map((found, at) => [readable[at], (found[0] as number) - (found[1] as number)]))
    return prompts.map(prompt => (prompt && odds.get(prompt)) ?? null)
  }
}

async function judgePrompt(
  tokenizer: ChatTokenizer,
  rule: Pick<TrueFalseRule, 'system' | 'question'>,
  pair: JudgedPair,
): Promise<Int32Array | null> {
  const messages = await judgeMessages(rule, pair)
  return messages && tokenizer.chatPrompt(messages)
}

/** The judge's prompt for a pair; null if the code is not valid Python. */
export async function judgeMessages(
  { system, question }: Pick<TrueFalseRule, 'system' | 'question'>,
  { code, problem }: JudgedPair,
): Promise<ChatMessage[] | null> {
  const read = await shownCode(code, problem)
  if (read === null) return null
  const content = `${problemText(problem)}\n\n\`\`\`python\n${read}\n\`\`\`\n\n${question}`
  return [
    { role: 'system', content: system },
    { role: 'user', content },
  ]
}
