import type { SeededRandom } from '../../seededRandom.ts'

/**
 * Styles of code.
 *
 * - `narrow`: nearly always the plainest spelling; the solver's corpus.
 * - `any`: every spelling of the curriculum; the judge's training.
 * - `alternate`: never the plainest spelling if there is another; a test of the judge.
 * - `unseenForm`: index loops and `filter` with a lambda, in no training corpus; a test of the judge.
 */
export const styles = ['narrow', 'any', 'alternate', 'unseenForm'] as const
export type Style = (typeof styles)[number]

/** Names of local variables: those of the training corpora, or names that no corpus holds. */
export type Naming = 'training' | 'unseen'

export type Spelling = {
  style: Style
  naming: Naming
  random: SeededRandom
  /** Every form of statement, not only the solver's. */
  isWide: boolean
  /** One of the spellings, the plainest first. */
  choose<T>(spellings: readonly T[]): T
  /** A name for an accumulator, an element, a list, a mapped element. */
  accumulator(): string
  element(): string
  listName: string
  mappedName: string
}

const accumulators = { training: ['s', 't', 'r', 'total', 'acc', 'out'], unseen: ['ans', 'tot', 'm'] } as const
const elements = { training: ['x', 'v', 'n', 'i', 'e'], unseen: ['y', 'z', 'num'] } as const

export function spellingOf(style: Style, naming: Naming, random: SeededRandom): Spelling {
  const isWide = style !== 'narrow'
  const choose = <T>(spellings: readonly T[]): T => {
    const plainest = spellings[0] as T
    if (style === 'narrow') return random.chance(0.93) ? plainest : random.pick(spellings)
    if (style === 'alternate' && spellings.length > 1) return random.pick(spellings.slice(1))
    return random.pick(spellings)
  }
  const narrowName = (usual: string, rare: string) => (random.chance(0.85) ? usual : rare)
  return {
    style,
    naming,
    random,
    isWide,
    choose,
    accumulator: () => (isWide ? random.pick<string>(accumulators[naming]) : narrowName('s', 'r')),
    element: () => (isWide ? random.pick<string>(elements[naming]) : narrowName('x', 'v')),
    listName: naming === 'training' ? 'ys' : 'vals',
    mappedName: naming === 'training' ? 'w' : 'u',
  }
}

/** A spelling with its operand and constant written in. */
export function write(template: string, operand: string, constant = 0): string {
  return template.replaceAll('{x}', operand).replaceAll('{s}', operand).replaceAll('{c}', String(constant))
}

/** An expression in parentheses, unless it is a name. */
export function enclosed(expression: string): string {
  return isName(expression) ? expression : `(${expression})`
}

export function isName(expression: string): boolean {
  return /^[A-Za-z_]\w*$/.test(expression)
}
