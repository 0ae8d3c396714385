import type { Seed } from '#core/hashes.ts'

/** A question of the prediction market: its evidence is revealed clue by clue, its answer is one of the choices. */
export type GameQuestion = {
  readonly question: string
  readonly choices: readonly string[]
  /** In the order in which they are revealed; the last one after all bets. */
  readonly clues: readonly string[]
  /** Index of the right choice. */
  readonly answer: number
}

/** The public part of a question. */
export type AskedQuestion = Pick<GameQuestion, 'question' | 'choices'>

/** Tokens, and the index of the first one whose log-probability counts. */
type ReadSequence = { readonly tokens: Int32Array; readonly from: number }

/** Questions that are made of an environment's own tasks, and settled by a program. */
export interface Games {
  /** The same question for the same seed, on every machine: the seed reveals the answer. */
  draw(seed: Seed): GameQuestion
  /**
   * Sequences for a policy's belief, one per choice: the summed log-probability under the policy is the choice's evidence.
   *
   * @param clues - the revealed ones.
   * @returns null if it is not a question of this environment.
   */
  sequences(asked: AskedQuestion, clues: readonly string[]): Promise<ReadSequence[] | null>
}

/** Splits a text into parts of about the same length, each but the first beginning with the space before a word; fewer if it has fewer words. */
export function inParts(text: string, count: number): string[] {
  const words = text.match(/^\s*\S+|\s+\S+|\s+$/g) ?? [text]
  const parts = Math.min(count, words.length)
  return Array.from({ length: parts }, (_, part) =>
    words.slice(Math.round((part * words.length) / parts), Math.round(((part + 1) * words.length) / parts)).join(''),
  )
}

/** Sequences of a common prompt followed by the text of each choice. */
export function readAfter(prompt: Int32Array, told: Int32Array): ReadSequence {
  return { tokens: Int32Array.of(...prompt, ...told), from: prompt.length }
}
