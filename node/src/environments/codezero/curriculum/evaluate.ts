import { filters } from './filters.ts'
import { maps } from './maps.ts'
import type { AfterId, AggregateId, ArithmeticId, BeforeId, StringOperationId } from './operations.ts'
import type { PythonValue } from './pythonValue.ts'
import type { LoopMeaning, Meaning, Term } from './task.ts'

/**
 * The value that a right solution returns, in exact integers with Python's `%` and slices.
 *
 * @param args - one value a parameter, of the types that the meaning expects.
 */
export function evaluate(meaning: Meaning, args: readonly PythonValue[]): PythonValue {
  switch (meaning.kind) {
    case 'arithmetic':
      return afterRules[meaning.after.id](
        arithmeticRules[meaning.operation](args[0] as bigint, args[1] as bigint),
        BigInt(meaning.after.constant),
      )
    case 'string':
      return stringRules[meaning.operation](args[0] as string, meaning.count, meaning.letter)
    case 'condition': {
      const n = args[0] as bigint
      const branch = holds(meaning.filter, n) ? meaning.whenTrue : meaning.whenFalse
      return maps[branch.id].apply(n, BigInt(branch.constant))
    }
    case 'loop':
      return evaluateLoop(meaning, args[0] as readonly bigint[])
  }
}

function holds(filter: LoopMeaning['filter'], x: bigint): boolean {
  return filters[filter.id].holds(x, BigInt(filter.constant))
}

function evaluateLoop(meaning: LoopMeaning, xs: readonly bigint[]): PythonValue {
  const constant = BigInt(meaning.map.constant)
  const apply = maps[meaning.map.id].apply
  const chosen = slice(xs, meaning.before)
    .filter(x => holds(meaning.filter, x))
    .map(x => apply(x, constant))
  return afterRules[meaning.after.id](aggregateRules[meaning.aggregate](chosen), BigInt(meaning.after.constant))
}

function slice(xs: readonly bigint[], before: Term<BeforeId>): readonly bigint[] {
  const rules: Record<BeforeId, () => readonly bigint[]> = {
    none: () => xs,
    skip: () => xs.slice(before.constant),
    take: () => xs.slice(0, before.constant),
    everySecond: () => xs.filter((_, i) => i % 2 === 0),
  }
  return rules[before.id]()
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

const aggregateRules: Record<AggregateId, (xs: readonly bigint[]) => PythonValue> = {
  sum: xs => xs.reduce((sum, x) => sum + x, 0n),
  product: xs => xs.reduce((product, x) => product * x, 1n),
  count: xs => BigInt(xs.length),
  list: xs => xs,
  max: xs => [0n, ...xs].toSorted(ascending).at(-1) ?? 0n,
}

const afterRules: Record<AfterId, (result: PythonValue, c: bigint) => PythonValue> = {
  none: result => result,
  add: (result, c) => (result as bigint) + c,
  subtract: (result, c) => (result as bigint) - c,
  times: (result, c) => (result as bigint) * c,
  negate: result => -(result as bigint),
  reverse: result => [...(result as readonly bigint[])].reverse(),
  sort: result => [...(result as readonly bigint[])].sort(ascending),
}

const arithmeticRules: Record<ArithmeticId, (a: bigint, b: bigint) => bigint> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  times: (a, b) => a * b,
  subtractFrom: (a, b) => b - a,
}

const stringRules: Record<StringOperationId, (s: string, c: number, letter: string) => PythonValue> = {
  reverse: s => [...s].reverse().join(''),
  upper: s => s.toUpperCase(),
  lower: s => s.toLowerCase(),
  first: (s, c) => [...s].slice(0, c).join(''),
  last: (s, c) => [...s].slice(-c).join(''),
  repeat: (s, c) => s.repeat(c),
  countLetter: (s, _, letter) => BigInt(s.split(letter).length - 1),
}
