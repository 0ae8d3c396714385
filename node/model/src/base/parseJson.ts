/** Files of models are nested 10 deep. */
const MAX_DEPTH = 64

const QUOTE = 34
const BACKSLASH = 92
const OPENING: ReadonlySet<number> = new Set([91, 123])
const CLOSING: ReadonlySet<number> = new Set([93, 125])

/**
 * Parses JSON from outside. Nesting is bounded before: `JSON.parse` takes 60 bytes for each bracket of a file that is nothing else.
 *
 * @param refuse - makes the error that is thrown.
 */
export function parseJson(text: string, refuse: (problem: string, cause?: unknown) => Error): unknown {
  if (!isShallow(text)) throw refuse(`is nested deeper than ${MAX_DEPTH}`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refuse('is not JSON', cause)
  }
}

function isShallow(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isInText = false
    } else if (code === QUOTE) isInText = true
    else if (OPENING.has(code)) {
      if (++depth > MAX_DEPTH) return false
    } else if (CLOSING.has(code)) depth--
  }
  return true
}
