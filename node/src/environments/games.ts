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

/** What bettors know of a question. */
export type AskedQuestion = Pick<GameQuestion, 'question' | 'choices'>

/** Tokens, and the index of the first one whose log-probability counts. */
type ReadSequence = { readonly tokens: Int32Array; readonly from: number }

/** Questions that are made of an environment's own tasks, and settled by a program. */
export interface Games {
  /** The same question for the same seed, on every machine: who knows the seed knows the answer. */
  draw(seed: Seed): GameQuestion
  /**
   * What a policy reads to tell the choices apart: a sequence for each, whose summed log-probability under the policy is the choice's evidence.
   *
   * @param clues - those that are revealed.
   * @returns null if it is not a question of this environment.
   */
  sequences(asked: AskedQuestion, clues: readonly string[]): Promise<ReadSequence[] | null>
}

/** A text in parts of about the same length, each but the first begins with the space before a word; fewer where it has fewer words. */
export function inParts(text: string, count: number): string[] {
  const words = text.match(/^\s*\S+|\s+\S+|\s+$/g) ?? [text]
  const parts = Math.min(count, words.length)
  return Array.from({ length: parts }, (_, part) =>
    words.slice(Math.round((part * words.length) / parts), Math.round(((part + 1) * words.length) / parts)).join(''),
  )
}

/** A policy reads what the choices are given, and then what tells them apart. */
export function readAfter(prompt: Int32Array, told: Int32Array): ReadSequence {
  return { tokens: Int32Array.of(...prompt, ...told), from: prompt.length }
}
