import type { SeededRandom } from '../../seededRandom.ts'
import { type Bounds, type ByLevel, type Family, integerAnswer } from './family.ts'

const draw = (count: number, [low, high]: Bounds, random: SeededRandom) =>
  Array.from({ length: count }, () => random.between(low, high))

const sums: ByLevel<readonly [terms: number, Bounds]> = {
  1: [2, [0, 10]],
  2: [2, [10, 99]],
  3: [3, [10, 99]],
  4: [3, [100, 999]],
  5: [5, [100, 9999]],
}

export const sum: Family = (level, random) => {
  const terms = draw(...sums[level], random)
  return integerAnswer(
    `What is ${terms.join(' + ')}?`,
    terms.reduce((total, term) => total + term),
  )
}

const products: ByLevel<readonly Bounds[]> = {
  1: [
    [2, 9],
    [2, 12],
  ],
  2: [
    [3, 9],
    [11, 99],
  ],
  3: [
    [11, 99],
    [11, 99],
  ],
  4: [
    [11, 99],
    [101, 999],
  ],
  5: [
    [11, 99],
    [11, 99],
    [11, 99],
  ],
}

export const product: Family = (level, random) => {
  const factors = products[level].map(([low, high]) => random.between(low, high))
  return integerAnswer(
    `What is ${factors.join(' * ')}?`,
    factors.reduce((total, factor) => total * factor),
  )
}

/** An expression with its value; `binds` is 1 for a sum or difference, 2 for a product, 3 for a number. */
type Expression = { text: string; value: number; binds: 1 | 2 | 3 }

/** Only multiplication stands in a chain of level 2 or more. */
function expression(operators: number, level: number, random: SeededRandom): Expression {
  if (operators === 0) {
    const value = random.between(1, level < 3 ? 9 : 20)
    return { text: String(value), value, binds: 3 }
  }
  const leftOperators = random.between(0, operators - 1)
  const left = expression(leftOperators, level, random)
  const right = expression(operators - 1 - leftOperators, level, random)
  const operator = random.pick(level === 1 ? (['+', '-'] as const) : (['+', '-', '*'] as const))
  const binds = operator === '*' ? 2 : 1
  const inParentheses = ({ text, binds: own }: Expression, least: number) => (own < least ? `(${text})` : text)
  // The right operand of a minus or a times is put into parentheses.
  const text = `${inParentheses(left, binds)} ${operator} ${inParentheses(right, operator === '+' ? 1 : binds + 1)}`
  const [a, b] = [left.value, right.value]
  return { text, value: operator === '+' ? a + b : operator === '-' ? a - b : a * b, binds }
}

export const chain: Family = (level, random) => {
  const { text, value } = expression(level + 1, level, random)
  return integerAnswer(`Compute ${text}.`, value)
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

const gcds: ByLevel<readonly [numbers: number, common: Bounds, cofactor: Bounds]> = {
  1: [2, [1, 9], [1, 9]],
  2: [2, [2, 12], [2, 15]],
  3: [2, [2, 40], [5, 40]],
  4: [2, [5, 99], [11, 99]],
  5: [3, [5, 99], [11, 99]],
}

export const gcd: Family = (level, random) => {
  const [count, common, cofactor] = gcds[level]
  const [shared = 1] = draw(1, common, random)
  const numbers = draw(count, cofactor, random).map(factor => shared * factor)
  const question = `What is the greatest common divisor of ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}?`
  return integerAnswer(question, numbers.reduce(greatestDivisor))
}

const lcms: ByLevel<readonly [numbers: number, Bounds]> = {
  1: [2, [2, 12]],
  2: [2, [4, 30]],
  3: [2, [12, 99]],
  4: [3, [6, 40]],
  5: [3, [20, 99]],
}

export const lcm: Family = (level, random) => {
  const numbers = draw(...lcms[level], random)
  const question = `What is the least common multiple of ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}?`
  return integerAnswer(
    question,
    numbers.reduce((a, b) => (a / greatestDivisor(a, b)) * b),
  )
}

/** base^exponent mod modulus, by squaring. */
function powerMod(base: bigint, exponent: number, modulus: bigint): bigint {
  let [result, square] = [1n % modulus, base % modulus]
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

export const modular: Family = (level, random) => {
  const modulus = random.between(3, level < 3 ? 12 : 97)
  const [a = 0, b = 0] = draw(2, level < 3 ? [10, 99] : [12, 999], random)
  const of = (text: string, value: number | bigint) => integerAnswer(`What is ${text} mod ${modulus}?`, value)
  if (level === 1) return of(String(a), a % modulus)
  if (level === 2) return of(`(${a} + ${b})`, (a + b) % modulus)
  if (level === 3) return of(`(${a} * ${b})`, (a * b) % modulus)
  const [base, exponent] = [random.between(2, level === 4 ? 9 : 50), random.between(2, level === 4 ? 9 : 60)]
  return of(`${base}^${exponent}`, powerMod(BigInt(base), exponent, BigInt(modulus)))
}

const bases: ByLevel<readonly [from: Bounds, to: Bounds, value: Bounds]> = {
  1: [
    [10, 10],
    [2, 2],
    [2, 127],
  ],
  2: [
    [10, 10],
    [2, 5],
    [10, 255],
  ],
  3: [
    [10, 10],
    [3, 9],
    [100, 999],
  ],
  4: [
    [10, 10],
    [11, 16],
    [100, 65_535],
  ],
  5: [
    [2, 9],
    [11, 16],
    [100, 9999],
  ],
}

export const base: Family = (level, random) => {
  const [from, to, [low, high]] = bases[level]
  const value = random.between(low, high)
  const [source, target] = [random.between(...from), random.between(...to)]
  const told = source === 10 ? `the decimal number ${value}` : `${value.toString(source)}, which is in base ${source},`
  return { question: `Write ${told} in base ${target}.`, kind: 'digits', answer: value.toString(target) }
}
