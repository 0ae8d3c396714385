import type { SeededRandom } from '../../seededRandom.ts'
import { type Bounds, type ByLevel, type Family, integerAnswer } from './family.ts'

/** A term with its sign, as it follows another one: ' + 3x', ' - 4'. */
function signed(coefficient: number, unknown = ''): string {
  const size = Math.abs(coefficient)
  return ` ${coefficient < 0 ? '-' : '+'} ${unknown !== '' && size === 1 ? '' : size}${unknown}`
}

const leading = (coefficient: number, unknown: string) =>
  `${coefficient === 1 ? '' : coefficient === -1 ? '-' : coefficient}${unknown}`

const solutions: ByLevel<Bounds> = { 1: [0, 20], 2: [1, 20], 3: [-20, 20], 4: [-30, 30], 5: [-50, 50] }

function notZero([low, high]: Bounds, random: SeededRandom): number {
  for (;;) {
    const value = random.between(low, high)
    if (value !== 0) return value
  }
}

/** One unknown. */
export const linear: Family = (level, random) => {
  const x = random.between(...solutions[level])
  const [a, b] = [random.between(2, 9), notZero([-20, 20], random)]
  const solve = (equation: string) => integerAnswer(`Solve for x: ${equation}`, x)
  if (level === 1) return solve(`x${signed(b)} = ${x + b}`)
  if (level === 2) return solve(`${a}x = ${a * x}`)
  if (level === 3) return solve(`${a}x${signed(b)} = ${a * x + b}`)
  const c = random.between(a + 1, 15)
  if (level === 4) return solve(`${a}x${signed(b)} = ${c}x${signed(a * x + b - c * x)}`)
  const d = notZero([-9, 9], random)
  return solve(`${a}(x${signed(b)}) = ${c}(x${signed(d)})${signed(a * (x + b) - c * (x + d))}`)
}

const coefficients: ByLevel<Bounds> = { 1: [1, 1], 2: [1, 3], 3: [1, 5], 4: [-6, 6], 5: [-12, 12] }

/** Two unknowns. */
export const system: Family = (level, random) => {
  const [x, y] = [random.between(...solutions[level]), random.between(...solutions[level])]
  for (;;) {
    const [a, b, c, size] = [0, 1, 2, 3].map(() => notZero(coefficients[level], random)) as [
      number,
      number,
      number,
      number,
    ]
    // The first level asks for a sum and a difference.
    const d = level === 1 ? -1 : size
    if (a * d === b * c) continue
    const equation = (p: number, q: number) => `${leading(p, 'x')}${signed(q, 'y')} = ${p * x + q * y}`
    const question = `Solve for x and y: ${equation(a, b)} and ${equation(c, d)}. Give x, then y.`
    return { question, kind: 'integers', answer: `${x}, ${y}` }
  }
}

/** Terms of a sequence, by a rule of the level. */
function termsOf(level: number, random: SeededRandom, count: number): number[] {
  const [start, step] = [random.between(1, 20), random.between(2, 12)]
  const at = (term: (index: number) => number) => Array.from({ length: count }, (_, index) => term(index))
  if (level === 1) return at(i => start + step * i)
  if (level === 2) {
    if (random.chance(0.5)) return at(i => start + 50 - step * i)
    const [first, ratio] = [random.between(1, 9), random.between(2, 4)]
    return at(i => first * ratio ** i)
  }
  const second = random.between(1, 5)
  if (level === 3) return at(i => start + step * i + second * i * i)
  if (level === 4) {
    const terms = [start, start + step]
    while (terms.length < count) terms.push((terms.at(-1) as number) + (terms.at(-2) as number))
    return terms
  }
  const [from, by] = [random.between(30, 60), random.between(2, 9)]
  return at(i => (i % 2 === 0 ? start + step * (i / 2) : from - by * ((i - 1) / 2)))
}

export const sequence: Family = (level, random) => {
  const shown = level < 3 ? 5 : 7
  const terms = termsOf(level, random, shown + 1)
  const question = `Which number comes next? ${terms.slice(0, shown).join(', ')}`
  return integerAnswer(question, terms[shown] as number)
}
