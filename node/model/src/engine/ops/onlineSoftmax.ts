import type { Emitter } from '../opRow.ts'
import type { DType } from '../value.ts'
import { chain } from './integer.ts'

/** Below every logit. */
const NOWHERE = -1e30

/** Names of the running values after some of the tokens: largest logit, sum of exp(logit - largest), the token's own logit, and weighted rows. */
export interface Running {
  readonly top: string
  readonly sum: string
  readonly own: string
  readonly rows: string | null
}

/** Emits the running values of two parts together. */
export function emitJoin(e: Emitter, a: Running, b: Running): Running {
  const step = chain(e)
  const top = step('Max', [a.top, b.top])
  const [byA, byB] = [a, b].map(part => step('Exp', [step('Sub', [part.top, top])])) as [string, string]
  const joined = (x: string, y: string) => step('Add', [step('Mul', [x, byA]), step('Mul', [y, byB])])
  const rows = a.rows && b.rows ? joined(a.rows, b.rows) : null
  return { top, sum: joined(a.sum, b.sum), own: step('Max', [a.own, b.own]), rows }
}

/**
 * Emits the logit of each row's token if the part contains it, otherwise a number below every logit.
 *
 * @param ids - the tokens [M, 1]; the part's begin at `first`.
 * @returns also the token's index in the part, and whether it is inside.
 */
export function emitOwn(
  e: Emitter,
  logits: string,
  ids: string,
  part: { first: number; length: number; dtype: DType },
) {
  const step = chain(e)
  const local = step('Sub', [ids, e.scalar(part.first, 'i64')])
  const at = step('Clip', [local, e.scalar(0, 'i64'), e.scalar(part.length - 1, 'i64')])
  const isHere = step('Equal', [local, at])
  const picked = step('GatherElements', [logits, at], { axis: 1 })
  return { at, isHere, own: step('Where', [isHere, picked, e.scalar(NOWHERE, part.dtype)]) }
}

/** Emits the log-probability [M], and the rows weighted by probabilities if they were collected, after all parts. */
export function emitEnd(e: Emitter, { top, sum, own, rows }: Running, outputs: readonly [string, string]): void {
  const step = chain(e)
  const column = step('Sub', [step('Sub', [own, top]), step('Log', [sum])])
  e.node('Squeeze', [column, e.integers([-1])], [outputs[0]])
  if (rows) e.node('Div', [rows, sum], [outputs[1]])
}
