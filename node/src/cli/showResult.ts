import { stringify } from 'yaml'
import { strangersText } from './textStream.ts'

/** Prints the result of a command: one JSON object on a line for programs, YAML for people. */
export function showResult(result: object, asJson: boolean): void {
  console.log(asJson ? jsonText(result) : strangersText(stringify(result, { lineWidth: 0 }).trimEnd()))
}

/** As JSON that is safe for a terminal too: control characters above ASCII and bidirectional marks are escaped. */
function jsonText(result: object): string {
  return JSON.stringify(result).replace(
    /\p{Cc}|\p{Bidi_Control}/gu,
    mark => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** One line of named figures: `{ meanReward: 0.37521, refused: {} }` is `mean reward 0.375, refused none`. */
export function inWords(figures: Readonly<Record<string, unknown>>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${wordsOf(name)} ${shown(value)}`)
    .join(', ')
}

const wordsOf = (name: string) => name.replace(/([a-z])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)

function shown(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toFixed(3)))
  if (value === null || typeof value !== 'object') return String(value)
  const entries = Object.entries(value)
  return entries.length === 0 ? 'none' : `(${inWords(Object.fromEntries(entries))})`
}
