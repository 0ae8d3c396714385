import { mapYielding } from '#core/threads/mapYielding.ts'
import type { MeasuredJudge, SequenceScorer } from '../../environment.ts'
import { canonicalCode } from '../canonical/canonicalCode.ts'
import type { Problem } from '../curriculum/task.ts'
import type { PromptTokenizer } from '../prompts.ts'
import { calibratedProbability, type JudgeCalibration, type JudgeEvidence } from './judgeCalibration.ts'

export type JudgedPair = { code: string; problem: Problem }

/** A frozen model's opinion of code. */
export type CodeJudge = {
  /** The probability, from 0 to 1, that each code solves its problem. No code is run. */
  predictCorrectness(pairs: readonly JudgedPair[]): Promise<number[]>
  /** Figures of a served judge, measured when it was opened. */
  readonly measured?: MeasuredJudge
}

export type BackTranslationJudge = CodeJudge & {
  /** Evidence for the probabilities; null if the code is unreadable for the model or the pair is too long. */
  evidence(pairs: readonly JudgedPair[]): Promise<(JudgeEvidence | null)[]>
}

/**
 * A judge by back-translation: a frozen model reads the code with canonical names, and then scores the problem's own text.
 *
 * Asked for 'yes' or 'no' a model of this size is right 50 to 63 % of the time, by back-translation 96 to 99 %.
 *
 * @param maxTokens - the model's longest sequence; a longer pair counts as wrong.
 */
export function createJudge(options: {
  scorer: SequenceScorer
  tokenizer: PromptTokenizer
  calibration: JudgeCalibration
  maxTokens: number
}): BackTranslationJudge {
  const { scorer, tokenizer, calibration, maxTokens } = options
  const evidence = async (pairs: readonly JudgedPair[]): Promise<(JudgeEvidence | null)[]> => {
    const sequences = await mapYielding(pairs, pair => judgeSequence(tokenizer, pair))
    const readable = sequences.flatMap(sequence => (sequence && sequence.tokens.length <= maxTokens ? [sequence] : []))
    const scored = readable.length ? await scorer.score(readable) : []
    const found = new Map(readable.map((sequence, i) => [sequence, scored[i]]))
    return sequences.map(sequence => {
      const result = sequence && found.get(sequence)
      return result ? { gap: largest(result.gaps), nll: -mean(result.logprobs) } : null
    })
  }
  return {
    evidence,
    predictCorrectness: async pairs =>
      (await evidence(pairs)).map(found => (found ? calibratedProbability(found, calibration) : 0)),
  }
}

/** Canonical code, `<judge>`, the problem's text; scored from the text on. Null if the code is not one function by itself. */
export async function judgeSequence(
  tokenizer: PromptTokenizer,
  { code, problem }: JudgedPair,
): Promise<{ tokens: Int32Array; from: number } | null> {
  const read = await canonicalCode(code, problem)
  if (read === null) return null
  const [before, after] = [tokenizer.encode(read), tokenizer.encode(problem.text)]
  return { tokens: Int32Array.of(...before, tokenizer.special('<judge>'), ...after), from: before.length + 1 }
}

const largest = (values: ArrayLike<number>) => Array.from(values).reduce((most, value) => Math.max(most, value), 0)
const mean = (values: ArrayLike<number>) =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
