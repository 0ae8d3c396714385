import type { SeededRandom } from '../../seededRandom.ts'
import type { ByLevel, Family } from './family.ts'

/** An expression of true, false, and, or, not, with its value. */
type Formula = { text: string; value: boolean; isAtom: boolean }

function formula(operators: number, random: SeededRandom): Formula {
  if (operators === 0) {
    const value = random.chance(0.5)
    return { text: String(value), value, isAtom: true }
  }
  const kept = ({ text, isAtom }: Formula) => (isAtom ? text : `(${text})`)
  if (random.chance(0.25)) {
    const inner = formula(operators - 1, random)
    return { text: `not ${kept(inner)}`, value: !inner.value, isAtom: false }
  }
  const leftOperators = random.between(0, operators - 1)
  const left = formula(leftOperators, random)
  const right = formula(operators - 1 - leftOperators, random)
  const word = random.pick(['and', 'or'] as const)
  const value = word === 'and' ? left.value && right.value : left.value || right.value
  return { text: `${kept(left)} ${word} ${kept(right)}`, value, isAtom: false }
}

export const boolean: Family = (level, random) => {
  const { text, value } = formula(2 * level + 2, random)
  return { question: `Evaluate: ${text}`, kind: 'truth', answer: String(value) }
}

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hana'] as const

/** An islander's statement, as text, and whether it holds; `isKnight` has an entry for each islander, in order. */
type Statement = { text: string; holds(isKnight: readonly boolean[]): boolean }

function statement(names: readonly string[], speaker: number, level: number, random: SeededRandom): Statement {
  const others = names.map((_, index) => index).filter(index => index !== speaker)
  const [one = 0, other = speaker] = random.shuffled(others)
  const [a, b] = [names[one], other === speaker ? 'I' : names[other]]
  const kinds: Statement[] = [
    { text: `${a} is a knight`, holds: is => is[one] === true },
    { text: `${a} is a knave`, holds: is => is[one] === false },
    { text: `${a} and ${b} are of the same kind`, holds: is => is[one] === is[other] },
    { text: `${a} and ${b} are of different kinds`, holds: is => is[one] !== is[other] },
    { text: `at least one of us is a knave`, holds: is => is.includes(false) },
  ]
  const count = random.between(0, names.length)
  const exactly = {
    text: `exactly ${count} of us are knights`,
    holds: (is: readonly boolean[]) => is.filter(Boolean).length === count,
  }
  return random.pick(level < 3 ? kinds : [...kinds, exactly])
}

/** Every assignment of knights and knaves in which knights tell the truth and knaves lie. */
function solutionsOf(said: readonly Statement[]): boolean[][] {
  const all = Array.from({ length: 2 ** said.length }, (_, bits) => said.map((_, index) => ((bits >> index) & 1) === 1))
  return all.filter(is => said.every(({ holds }, speaker) => holds(is) === is[speaker]))
}

const islanders: ByLevel<number> = { 1: 2, 2: 3, 3: 3, 4: 4, 5: 5 }

export const knights: Family = (level, random) => {
  for (;;) {
    const names = random.shuffled(people).slice(0, islanders[level])
    const said = names.map((_, speaker) => statement(names, speaker, level, random))
    const [solution, ...more] = solutionsOf(said)
    if (solution === undefined || more.length > 0) continue
    const told = said.map(({ text }, speaker) => `${names[speaker]} says: "${text}".`).join(' ')
    const knightNames = names.filter((_, index) => solution[index]).map(name => name.toLowerCase())
    const question = `Knights always tell the truth and knaves always lie. ${told} Who are the knights?`
    return { question, kind: 'names', answer: knightNames.sort().join(', ') || 'nobody' }
  }
}
