import type { Level } from '../../level.ts'
import type { SeededRandom } from '../../seededRandom.ts'
import type { AnswerKind } from '../readAnswer.ts'

/** A question, the kind of its answer, and the right answer in the spelling of `readAnswer`. */
export type Question = { question: string; kind: AnswerKind; answer: string }

/** Draws a question of a level: the same for the same random numbers. */
export type Family = (level: Level, random: SeededRandom) => Question

export const integerAnswer = (question: string, value: number | bigint): Question => ({
  question,
  kind: 'integer',
  answer: String(value),
})

/** Bounds of a level, both included. */
export type Bounds = readonly [low: number, high: number]
export type ByLevel<T> = Readonly<Record<Level, T>>
