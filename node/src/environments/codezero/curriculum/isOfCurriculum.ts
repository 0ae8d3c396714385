import type { Meaning } from './task.ts'

/** Lowest and highest constants: of conditions and calculations, of a string's operations, and of the part of a list that is read. */
export const constants = { number: [2, 9], letters: [2, 5], part: [2, 4] } as const

/**
 * Whether the curriculum could have written this text. `parseTaskText` reads more: other constants, numbers that are changed before they are
 * counted, capitals. The starter's judge knows none of these, so that no answer to them could be right; and a long part of a list is
 * the whole of a shorter one, which would let a held-out function come back.
 *
 * @param meaning - what `parseTaskText` reads in it; constants that the text does not name are 0.
 */
export function isOfCurriculum(text: string, meaning: Meaning): boolean {
  const isOpened = meaning.kind === 'loop' && meaning.before.id !== 'none'
  return text.includes('Return') !== isOpened && isDrawn(meaning)
}

function isDrawn(meaning: Meaning): boolean {
  switch (meaning.kind) {
    case 'arithmetic':
      return areIn('number', [meaning.after])
    case 'string':
      return areIn('letters', [{ constant: meaning.count }])
    case 'condition':
      return areIn('number', [meaning.filter, meaning.whenTrue, meaning.whenFalse])
    case 'loop': {
      const { filter, map, after, before, aggregate } = meaning
      const isCounted = aggregate !== 'count' || map.id === 'identity'
      return isCounted && areIn('number', [filter, map, after]) && areIn('part', [before])
    }
  }
}

function areIn(range: keyof typeof constants, terms: readonly { constant: number }[]): boolean {
  const [low, high] = constants[range]
  return terms.every(({ constant }) => constant === 0 || (constant >= low && constant <= high))
}
