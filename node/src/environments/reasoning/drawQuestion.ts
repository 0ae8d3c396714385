import { createHash } from 'node:crypto'
import type { Level } from '../level.ts'
import type { SeededRandom } from '../seededRandom.ts'
import { type FamilyName, families } from './families/families.ts'
import type { Question } from './families/family.ts'

/** Quotes in a question of a later stage. */
export type Quoted = {
  /** 1: answers of the first stage, to be criticised. 2: critiques, to be revised by. */
  readonly stage: 1 | 2
  readonly texts: readonly string[]
  /** Stage 2: the answer that most critiques gave; null if two were given equally often, or none can be read. */
  readonly majority: string | null
}

/** A question that a solver is asked. */
export type ReasoningProblem = Question & {
  readonly family: FamilyName
  readonly level: Level
  /** Later stages of an episode. */
  readonly quoted?: Quoted
}

/** One question in ten is held out for all peers. */
const HELD_OUT_ONE_IN = 10

/** Words, numbers and signs, sorted: 2 + 3 is the same as 3 + 2, and an equation the same with its sides swapped. Some different questions get the same key, which does no harm. */
const keyOf = (question: string) => (question.match(/\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu) ?? []).sort().join(' ')

/** Decided by the sorted parts of a question, so that swapped operands do not make a held-out question a training one. */
export function isHeldOut({ question }: Pick<Question, 'question'>): boolean {
  const digest = createHash('sha256')
    .update(`reasoning held out\0${keyOf(question)}`)
    .digest()
  return digest.readUint32LE(0) % HELD_OUT_ONE_IN === 0
}

/** A question of a family and level that may be trained on, or for `heldOut` one that may not. */
export function drawQuestion(
  family: FamilyName,
  level: Level,
  random: SeededRandom,
  { heldOut = false } = {},
): ReasoningProblem {
  for (;;) {
    const drawn = families[family](level, random)
    if (isHeldOut(drawn) === heldOut) return { family, level, ...drawn }
  }
}
