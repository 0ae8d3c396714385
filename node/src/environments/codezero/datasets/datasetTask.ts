import type { AskedFunction, CodeTest, HeldOutCheck } from '../../environment.ts'
import type { Problem } from '../curriculum/task.ts'
import { fencedBlocks, mayBePython } from '../fencedBlocks.ts'

/** A task of a dataset: its prompt and its check. Nothing is run here. */
export type DatasetTask = {
  /** The dataset's id of the task, or the row in the file. */
  readonly id: string
  /** System message. */
  readonly system: string
  /** User message, including the function's name or the format of the input. */
  readonly question: string
  /** Null if the task is not a single function. */
  readonly function: AskedFunction<Problem> | null
  /** The code and tests that check an answer. */
  check(answer: string): Exclude<HeldOutCheck, boolean>
}

/** Reason why a row was refused. */
export type FieldFault = { readonly field: string; readonly reason: string }

export const datasetLimits = {
  /** Characters of a text, and of one test. The longest of CodeContests have some 10,000. */
  textCharacters: 100_000,
  /** Tests of a row that are run, the row's own order. */
  tests: 40,
} as const

export const functionSystem =
  'You write Python functions. Answer with one fenced Python block that holds the function, with exactly the name and the parameters asked for.'

export const programSystem =
  'You write Python programs. Answer with one fenced Python block that holds a whole program: it reads its input from standard input and prints its output, nothing else.'

/**
 * The code of an answer, leniently: the first block that defines the function, else the first tagged as Python, else the first without a tag. The
 * whole answer if there is no block. The last block needs no end.
 *
 * @param name - the function's; null for a program.
 */
export function answerCode(answer: string, name: string | null): string {
  const blocks = fencedBlocks(answer, { cut: true }).filter(mayBePython)
  const defines = name === null ? null : new RegExp(`^(?:async[ \\t]+)?def[ \\t]+${name}\\b`, 'm')
  const block =
    blocks.find(({ code }) => defines?.test(code)) ?? blocks.find(({ tag }) => tag !== '') ?? blocks[0] ?? null
  return block?.code ?? answer
}

/**
 * Checks each condition: `not (…)` is a truth value for any bindings of the code's names. Python's `==` decides, so `4.0` is 4, but a class of the
 * answer may equal everything.
 */
export function conditionTests(conditions: readonly string[]): CodeTest[] {
  return conditions.map(condition => ({ expression: `not (${condition})`, expected: 'False' }))
}
