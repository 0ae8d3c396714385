import { type DocumentNode, visit } from 'graphql'

/** Maximum depth of variables, which are walked by recursion: those of filters have about twice as many levels as the filters. */
const MAX_DEPTH = 20
const DEEP = `Its variables are more than ${MAX_DEPTH} deep.`
const NULL = 'A text has no null character.'

/** The reason why a question is refused for its texts, or for the depth of its variables; null if it is accepted. */
export function textFault(document: DocumentNode, variables: Readonly<Record<string, unknown>>): string | null {
  const texts: string[] = []
  visit(document, { StringValue: ({ value }) => void texts.push(value) })
  if (!gather(variables, texts, MAX_DEPTH)) return DEEP
  return texts.some(holdsNull) ? NULL : null
}

/** @returns whether it has reached the end of all values. */
function gather(value: unknown, texts: string[], depth: number): boolean {
  if (typeof value === 'string') texts.push(value)
  if (typeof value !== 'object' || value === null) return true
  return depth >= 0 && Object.values(value).every(one => gather(one, texts, depth - 1))
}

/** Postgres refuses the null character, or Ponder takes it out and writes the text to its log. A cursor is JSON in base 64, and has it escaped. */
const holdsNull = (text: string) => text.includes('\0') || Buffer.from(text, 'base64').includes('\\u0000')
