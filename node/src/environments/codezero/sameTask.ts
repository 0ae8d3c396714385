import { parseTaskText } from './curriculum/parseTaskText.ts'
import { semanticKey } from './curriculum/semanticKey.ts'
import type { Problem } from './curriculum/task.ts'

/** Words that a task has whatever it asks for. */
const filler = new Set(
  'a an the of in to for and that is are be by with given return returns compute computes write'.split(' '),
)

/**
 * What problems that ask for the same have in common: the values of the function, where the curriculum reads the text, whatever its words
 * and names; otherwise the words, in no order, without fillers, plural endings and the names of function and parameters.
 */
export function sameTask({ name, parameters, text, broken }: Problem): string {
  const form = broken === undefined ? '' : 'repair '
  const meaning = parseTaskText(text)
  if (meaning) return form + semanticKey(meaning)
  const places = new Map(parameters.map((parameter, at) => [parameter.toLowerCase(), `p${at}`]))
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const kept = words.filter(word => !filler.has(word) && word !== name.toLowerCase())
  return (
    form + [...new Set(kept.map(word => places.get(word) ?? word.replace(/(?<=\p{L}{3})s$/u, '')))].sort().join(' ')
  )
}
