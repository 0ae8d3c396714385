/** Phrases of a problem and the code that they stand for; `{s}` or `{x}` is the operand, `{c}` the constant. */
type Phrasing = { texts: readonly string[]; spellings: readonly string[]; takesConstant: boolean }

const phrasing = (texts: readonly string[], spellings: readonly string[]): Phrasing => ({
  texts,
  spellings,
  takesConstant: spellings.some(s => s.includes('{c}')),
})

/** How the selected numbers become one result. */
export const aggregates = {
  sum: ['the sum of', 'the total of'],
  product: ['the product of', 'the result of multiplying'],
  count: ['the number of', 'the count of'],
  list: ['the list of', 'a list of'],
  max: ['the largest or 0 of', 'the maximum or 0 of'],
} satisfies Record<string, readonly string[]>
export type AggregateId = keyof typeof aggregates
export const aggregateIds = Object.keys(aggregates) as AggregateId[]

/** Operations on the result. */
export const afters = {
  none: phrasing([''], ['{s}']),
  add: phrasing([', then add {c}', ', plus {c} at the end'], ['{s} + {c}', '{c} + {s}']),
  subtract: phrasing([', then subtract {c}'], ['{s} - {c}', '-{c} + {s}']),
  times: phrasing([', then multiply by {c}'], ['{s} * {c}', '{c} * {s}']),
  negate: phrasing([', then negate'], ['-{s}', '0 - {s}']),
  reverse: phrasing([', in reverse order'], ['{s}[::-1]', 'list(reversed({s}))']),
  sort: phrasing([', in sorted order'], ['sorted({s})']),
} satisfies Record<string, Phrasing>
export type AfterId = keyof typeof afters
export const numberAfters: readonly AfterId[] = ['add', 'subtract', 'times', 'negate']
export const listAfters: readonly AfterId[] = ['reverse', 'sort']

/** Parts of the list that are read. */
export const befores = {
  none: phrasing([''], ['{x}']),
  skip: phrasing(['After dropping the first {c} of xs, ', 'Skip the first {c} of xs and '], ['{x}[{c}:]']),
  take: phrasing(['Using only the first {c} of xs, ', 'Keep the first {c} of xs and '], ['{x}[:{c}]']),
  everySecond: phrasing(['Using every second of xs, '], ['{x}[::2]']),
} satisfies Record<string, Phrasing>
export type BeforeId = keyof typeof befores
export const beforeIds = Object.keys(befores) as BeforeId[]

/** Level 1: two numbers. */
export const arithmetics = {
  add: phrasing(['the sum of a and b', 'a plus b'], ['a + b', 'b + a']),
  subtract: phrasing(['a minus b', 'b subtracted from a'], ['a - b', '-b + a']),
  times: phrasing(['the product of a and b', 'a times b'], ['a * b', 'b * a']),
  subtractFrom: phrasing(['b minus a', 'a subtracted from b'], ['b - a', '-a + b']),
} satisfies Record<string, Phrasing>
export type ArithmeticId = keyof typeof arithmetics
export const arithmeticIds = Object.keys(arithmetics) as ArithmeticId[]

/** Level 2: one string; `{c}` a count, `{h}` a letter. */
export const stringOperations = {
  reverse: phrasing(['s reversed'], ['s[::-1]']),
  upper: phrasing(['s in upper case'], ['s.upper()']),
  lower: phrasing(['s in lower case'], ['s.lower()']),
  first: phrasing(['the first {c} letters of s'], ['s[:{c}]']),
  last: phrasing(['the last {c} letters of s'], ['s[-{c}:]']),
  repeat: phrasing(['s repeated {c} times'], ['s * {c}', '{c} * s']),
  countLetter: phrasing(['how often {h} is in s'], ["s.count('{h}')"]),
} satisfies Record<string, Phrasing>
export type StringOperationId = keyof typeof stringOperations
export const stringOperationIds = Object.keys(stringOperations) as StringOperationId[]
