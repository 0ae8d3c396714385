import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { levels } from '../../level.ts'
import { seededRandom } from '../../seededRandom.ts'
import { readAnswer } from '../readAnswer.ts'
import { type FamilyName, families, familyNames } from './families.ts'
import type { Question } from './family.ts'

const DRAWS = 40

const drawn = (family: FamilyName, level: (typeof levels)[number]) =>
  Array.from({ length: DRAWS }, (_, at) => families[family](level, seededRandom(`test ${family} ${level} ${at}`)))

// Worked by hand.
test.each<[FamilyName, (typeof levels)[number], string, string]>([
  ['sum', 3, 'What is 35 + 33 + 83?', '151'],
  ['product', 3, 'What is 88 * 34?', '2992'],
  ['chain', 4, 'Compute 15 - 13 - 16 * 9 * (14 + 18).', '-4606'],
  ['gcd', 4, 'What is the greatest common divisor of 2580 and 720?', '60'],
  ['lcm', 3, 'What is the least common multiple of 80 and 59?', '4720'],
  ['modular', 4, 'What is 8^6 mod 39?', '25'],
  ['base', 4, 'Write the decimal number 41373 in base 13.', '15aa7'],
  ['linear', 4, 'Solve for x: 9x + 17 = 12x - 34', '17'],
  ['system', 4, 'Solve for x and y: x + y = 19 and -4x + 5y = -76. Give x, then y.', '19, 0'],
  ['sequence', 4, 'Which number comes next? 8, 16, 24, 40, 64, 104, 168', '272'],
  ['boolean', 2, 'Evaluate: true and (not (false or (not ((false and true) or false))))', 'false'],
  [
    'knights',
    3,
    'Knights always tell the truth and knaves always lie. Dan says: "exactly 2 of us are knights". Ada says: "exactly 3 of us are knights". Finn says: "Dan is a knave". Who are the knights?',
    'finn',
  ],
  ['letters', 3, 'How many times does the letter f occur in bboobyyfyoby?', '1'],
  [
    'sorting',
    3,
    'Sort these numbers from the smallest to the largest: -13, -60, -5, 38, 29, -73',
    '-73, -60, -13, -5, 29, 38',
  ],
  ['dates', 3, 'Which date is 3 days after 2027-01-30?', '2027-02-02'],
])('%s of level %i asks what it always asked', (family, level, question, answer) => {
  expect(families[family](level, seededRandom(`golden ${family} ${level}`))).toMatchObject({ question, answer })
})

test('every family, level and seed asks what it always asked: a change is another environment', () => {
  const all = familyNames.flatMap(family => levels.flatMap(level => drawn(family, level)))
  expect(createHash('sha256').update(JSON.stringify(all)).digest('hex')).toBe(GOLDEN)
})

const GOLDEN = 'dc35f0fa0182a3720f648200422febc7ba8cb0eda8913b74fcaac627c6207d5b'

test.each(familyNames)('%s: the answer is spelled as answers are read, and levels differ', family => {
  const byLevel = levels.map(level => drawn(family, level))
  for (const { kind, answer } of byLevel.flat()) expect(readAnswer(kind, answer)).toBe(answer)
  for (const questions of byLevel) expect(new Set(questions.map(({ question }) => question)).size).toBeGreaterThan(20)
  const lengths = byLevel.map(questions => questions.reduce((sum, { question }) => sum + question.length, 0))
  expect(new Set(lengths).size).toBeGreaterThan(1)
})

const numbersIn = (text: string) => (text.match(/-?\d+/g) ?? []).map(Number)
/** Value of an expression by JavaScript's own rules. */
const evaluated = (code: string): unknown => new Function(`return ${code}`)()
const divides = (divisor: number) => (value: number) => value % divisor === 0
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)

/** Multiplication written out, and unknowns put in. */
const withUnknowns = (equation: string, unknowns: Record<string, number>) =>
  equation
    .replaceAll(/(\d)([xy(])/g, '$1*$2')
    .replaceAll(/[xy]/g, name => `(${unknowns[name]})`)
    .replace(' = ', ' === ')

/** Whether an answer is right, found in another way than the family finds it: from the text of the question. */
const checks: Partial<Record<FamilyName, (question: string, answer: string) => boolean>> = {
  sum: (question, answer) => evaluated(question.slice('What is '.length, -1)) === Number(answer),
  product: (question, answer) => evaluated(question.slice('What is '.length, -1)) === Number(answer),
  chain: (question, answer) => evaluated(question.slice('Compute '.length, -1)) === Number(answer),
  gcd: (question, answer) => {
    const numbers = numbersIn(question)
    const common = range(1, Math.min(...numbers)).filter(divisor => numbers.every(divides(divisor)))
    return common.at(-1) === Number(answer)
  },
  lcm: (question, answer) => {
    const numbers = numbersIn(question)
    const [largest] = [Math.max(...numbers)]
    for (let multiple = largest; ; multiple += largest)
      if (numbers.every(number => multiple % number === 0)) return multiple === Number(answer)
  },
  modular: (question, answer) => {
    const [, power = '', exponent = ''] = /(\d+)\^(\d+)/.exec(question) ?? []
    const modulus = numbersIn(question).at(-1) as number
    if (power !== '') return BigInt(power) ** BigInt(exponent) % BigInt(modulus) === BigInt(answer)
    return evaluated(question.slice('What is '.length, -1).replace('mod', '%')) === Number(answer)
  },
  base: (question, answer) => {
    const [, told = '', from = '10', to = ''] =
      /Write (?:the decimal number )?(\w+)(?:, which is in base (\d+),)? in base (\d+)/.exec(question) ?? []
    return parseInt(told, Number(from)) === parseInt(answer, Number(to))
  },
  linear: (question, answer) =>
    evaluated(withUnknowns(question.slice('Solve for x: '.length), { x: Number(answer) })) === true,
  system: (question, answer) => {
    const [, first = '', second = ''] = /y: (.*) and (.*)\. Give/.exec(question) ?? []
    const [x = 0, y = 0] = answer.split(', ').map(Number)
    return [first, second].every(equation => evaluated(withUnknowns(equation, { x, y })) === true)
  },
  boolean: (question, answer) => {
    const code = question
      .slice('Evaluate: '.length)
      .replaceAll('and', '&&')
      .replaceAll('or', '||')
      .replaceAll('not', '!')
    return String(evaluated(code)) === answer
  },
  letters: (question, answer) => {
    const [, letter = '', word = ''] = /letter (\w) occur in (\w+)/.exec(question) ?? []
    return [...word].filter(one => one === letter).length === Number(answer)
  },
  sorting: (question, answer) => {
    const [asked, given] = [numbersIn(question.split(': ')[1] ?? ''), answer.split(', ').map(Number)]
    const inOrder = (one: number, next: number) => (question.includes('largest to') ? one >= next : one <= next)
    const isPermutation = new Set(asked).size === new Set(given).size && given.length === asked.length
    return (
      isPermutation && given.every((one, i) => asked.includes(one) && (i === 0 || inOrder(given[i - 1] as number, one)))
    )
  },
  dates: (question, answer) => {
    const between = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000
    const [one = '', other = ''] = question.match(/\d{4}-\d{2}-\d{2}/g) ?? []
    if (other !== '') return between(one, other) === Number(answer)
    const [days = 0] = numbersIn(question)
    if (one !== '') return between(one, answer) === (question.includes(' before ') ? -days : days)
    // 2024-01-01 was a Monday.
    const dayOf = (name: string) => range(1, 7).find(day => nameOf(day) === name.toLowerCase()) as number
    const nameOf = (day: number) =>
      new Date(Date.UTC(2024, 0, day)).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toLowerCase()
    const today = dayOf(/Today is (\w+)/.exec(question)?.[1] ?? '')
    return nameOf(today + (question.includes(' ago') ? -days : days)) === answer
  },
}

/** Answers next to the right one. */
function* neighbours({ kind, answer }: Question): Generator<string> {
  if (kind === 'integer') yield* [String(Number(answer) + 1), String(Number(answer) - 1), String(-Number(answer) - 7)]
  if (kind === 'truth') yield answer === 'true' ? 'false' : 'true'
  if (kind === 'integers')
    yield answer
      .split(', ')
      .map(item => Number(item) + 1)
      .join(', ')
}

test.each(Object.keys(checks) as FamilyName[])(
  '%s: its answers are right, and those next to them are not, by its questions’ texts',
  family => {
    const check = checks[family] as (question: string, answer: string) => boolean
    for (const question of levels.flatMap(level => drawn(family, level))) {
      expect(check(question.question, question.answer), JSON.stringify(question)).toBe(true)
      for (const wrong of neighbours(question)) expect(check(question.question, wrong)).toBe(false)
    }
  },
)

test('knights: exactly one way to tell knights from knaves agrees with what is said, and it is the answer', () => {
  for (const { question, answer } of levels.flatMap(level => drawn('knights', level))) {
    const said = [...question.matchAll(/(\w+) says: "([^"]+)"/g)].map(([, name = '', text = '']) => ({ name, text }))
    const names = said.map(({ name }) => name)
    const ways = range(0, 2 ** names.length - 1).filter(bits => {
      const is = (name: string) => ((bits >> names.indexOf(name)) & 1) === 1
      const knights = names.filter(is).length
      return said.every(({ name, text }) => {
        const [a = '', b = ''] = (text.match(/\b[A-Z]\w*\b/g) ?? []).map(word => (word === 'I' ? name : word))
        const [count] = numbersIn(text)
        const holds = text.includes('at least')
          ? knights < names.length
          : count !== undefined
            ? knights === count
            : text.includes('same')
              ? is(a) === is(b)
              : text.includes('different')
                ? is(a) !== is(b)
                : is(a) === text.includes('knight')
        return holds === is(name)
      })
    })
    const told = ways.map(bits => names.filter((_, i) => ((bits >> i) & 1) === 1).map(name => name.toLowerCase()))
    expect(told.map(knights => knights.sort().join(', ') || 'nobody')).toEqual([answer])
  }
})
