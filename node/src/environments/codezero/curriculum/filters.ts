import { floorModulo } from './pythonValue.ts'

/** A condition on one number: its texts in problems, its spellings in code (plainest first), and its meaning. */
type FilterConcept = {
  texts: readonly string[]
  spellings: readonly string[]
  takesConstant: boolean
  holds(x: bigint, c: bigint): boolean
}

const concept = (
  texts: readonly string[],
  spellings: readonly string[],
  holds: (x: bigint, c: bigint) => boolean,
): FilterConcept => ({ texts, spellings, holds, takesConstant: spellings.some(s => s.includes('{c}')) })

/** `{x}` is the number, `{c}` the constant. Concepts without texts are only reached by planted bugs. */
export const filters = {
  even: concept(
    ['even', 'not odd'],
    ['{x} % 2 == 0', 'not {x} % 2', '{x} % 2 != 1', '0 == {x} % 2'],
    x => floorModulo(x, 2n) === 0n,
  ),
  odd: concept(
    ['odd', 'not even'],
    ['{x} % 2 == 1', '{x} % 2 != 0', '{x} % 2', '1 == {x} % 2'],
    x => floorModulo(x, 2n) === 1n,
  ),
  positive: concept(['positive', 'above zero'], ['{x} > 0', '0 < {x}', '{x} >= 1', 'not {x} <= 0'], x => x > 0n),
  negative: concept(['negative', 'below zero'], ['{x} < 0', '0 > {x}', '{x} <= -1', 'not {x} >= 0'], x => x < 0n),
  above: concept(['greater than {c}', 'more than {c}'], ['{x} > {c}', '{c} < {x}', 'not {x} <= {c}'], (x, c) => x > c),
  atLeast: concept(['at least {c}', '{c} or more'], ['{x} >= {c}', '{c} <= {x}', 'not {x} < {c}'], (x, c) => x >= c),
  below: concept(['less than {c}', 'smaller than {c}'], ['{x} < {c}', '{c} > {x}', 'not {x} >= {c}'], (x, c) => x < c),
  atMost: concept(['at most {c}', '{c} or less'], ['{x} <= {c}', '{c} >= {x}', 'not {x} > {c}'], (x, c) => x <= c),
  multiple: concept(
    ['divisible by {c}', 'multiples of {c}'],
    ['{x} % {c} == 0', 'not {x} % {c}', '0 == {x} % {c}'],
    (x, c) => floorModulo(x, c) === 0n,
  ),
  notMultiple: concept(
    ['not divisible by {c}', 'not multiples of {c}'],
    ['{x} % {c} != 0', '{x} % {c} > 0', '{x} % {c}'],
    (x, c) => floorModulo(x, c) !== 0n,
  ),
  unequal: concept(
    ['not equal to {c}', 'different from {c}'],
    ['{x} != {c}', 'not {x} == {c}', '{c} != {x}'],
    (x, c) => x !== c,
  ),
  atLeastZero: concept([], ['{x} >= 0', '0 <= {x}'], x => x >= 0n),
  atMostZero: concept([], ['{x} <= 0', '0 >= {x}'], x => x <= 0n),
  aboveOne: concept([], ['{x} > 1', '1 < {x}'], x => x > 1n),
  belowOne: concept([], ['{x} < 1', '1 > {x}'], x => x < 1n),
  atMostOne: concept([], ['{x} <= 1', '1 >= {x}'], x => x <= 1n),
  belowMinusOne: concept([], ['{x} < -1', '-1 > {x}'], x => x < -1n),
  aboveMinusOne: concept([], ['{x} > -1', '-1 < {x}'], x => x > -1n),
  equal: concept([], ['{x} == {c}', '{c} == {x}'], (x, c) => x === c),
  all: concept([], [], () => true),
} satisfies Record<string, FilterConcept>

export type FilterId = keyof typeof filters

/** Conditions that the flawed corpus mostly gets right, and ones that it mostly gets wrong. */
export const easyFilters: readonly FilterId[] = ['even', 'odd', 'positive', 'above', 'below', 'multiple']
export const hardFilters: readonly FilterId[] = ['negative', 'atLeast', 'atMost', 'notMultiple', 'unequal']
export const spokenFilters: readonly FilterId[] = [...easyFilters, ...hardFilters]
/** Conditions that code may hold but no problem text says. */
export const unspokenFilters: readonly FilterId[] = [
  'atLeastZero',
  'atMostZero',
  'equal',
  'all',
  'aboveOne',
  'belowOne',
  'atMostOne',
  'belowMinusOne',
  'aboveMinusOne',
]

/** The typical mistake for a condition. */
export const confusedFilter: Partial<Record<FilterId, FilterId>> = {
  even: 'odd',
  odd: 'even',
  positive: 'atLeastZero',
  negative: 'atMostZero',
  above: 'atLeast',
  atLeast: 'above',
  below: 'atMost',
  atMost: 'below',
  multiple: 'notMultiple',
  notMultiple: 'multiple',
  unequal: 'equal',
}
