import type { ByLevel, Family } from './family.ts'
import { integerAnswer } from './family.ts'

const words: ByLevel<readonly [length: number, letters: number]> = {
  1: [5, 3],
  2: [8, 4],
  3: [12, 6],
  4: [20, 8],
  5: [36, 10],
}

/** Questions about the number of occurrences of a letter. */
export const letters: Family = (level, random) => {
  const [length, count] = words[level]
  const alphabet = random.shuffled([...'abcdefghijklmnopqrstuvwxyz']).slice(0, count)
  const word = Array.from({ length }, () => random.pick(alphabet)).join('')
  const letter = random.pick(alphabet)
  const question = `How many times does the letter ${letter} occur in ${word}?`
  return integerAnswer(question, word.split(letter).length - 1)
}

const sizes: ByLevel<number> = { 1: 3, 2: 4, 3: 6, 4: 8, 5: 12 }

export const sorting: Family = (level, random) => {
  const [low, high] = level < 3 ? [0, 99] : [-99, 99]
  const numbers = Array.from({ length: sizes[level] }, () => random.between(low, high))
  const descends = level > 3 && random.chance(0.5)
  const sorted = [...numbers].sort((a, b) => (descends ? b - a : a - b))
  const order = descends ? 'from the largest to the smallest' : 'from the smallest to the largest'
  return { question: `Sort these numbers ${order}: ${numbers.join(', ')}`, kind: 'integers', answer: sorted.join(', ') }
}
