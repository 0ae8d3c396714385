/** Two columns: an option, an action or a command, and what it does. */
export type HelpRow = { name: string; text: string }

/** Paragraphs with empty lines between them; calls of a program, one a line; or rows. */
export type HelpPart = string | { calls: string } | { title?: string; rows: readonly HelpRow[] }

/** Where the second column of rows begins. */
const COLUMN = 22
/** Indentation of the further lines of a call. */
const HANGING = 4
/** A word of a call: an option stays with its value, and brackets with what they enclose. */
const CALL_WORD = /\[[^\]]*\]|--\S+ [^\s[-]\S*|\S+/g

/**
 * Width of `--help`: the terminal's, within limits in which both columns of rows fit and lines are not too long to read.
 *
 * @param columns - undefined if the output is not a terminal.
 */
export function helpWidth(columns: number | undefined): number {
  return Math.min(132, Math.max(60, columns || 80)) // some terminals report 0
}

/** The text of `--help`, of which no line has more than `width` columns, unless a single word has. */
export function layOutHelp(
  parts: readonly HelpPart[],
  width = helpWidth(process.stdout.columns),
  column = COLUMN,
): string {
  return parts.map(part => textOf(part, width, column)).join('\n\n')
}

function textOf(part: HelpPart, width: number, column: number): string {
  if (typeof part === 'string') return each(part, '\n\n', text => paragraph(text, width))
  if ('calls' in part) return each(part.calls, '\n', call => hang(call.match(CALL_WORD) ?? [], width))
  const rows = part.rows.map(row => twoColumns(row, width, column))
  return [part.title === undefined ? [] : `${part.title}:`, rows].flat().join('\n')
}

function each(text: string, separator: string, write: (piece: string) => string): string {
  return text.split(separator).map(write).join(separator)
}

/** An indented paragraph is for copying: it stays on its line. */
function paragraph(text: string, width: number): string {
  return text.startsWith(' ') ? text : wrap(text.split(/\s+/), width).join('\n')
}

function hang(words: readonly string[], width: number): string {
  return wrap(words, width - HANGING).join(`\n${' '.repeat(HANGING)}`)
}

function twoColumns({ name, text }: HelpRow, width: number, column: number): string {
  const first = `  ${name}`
  const margin = `\n${' '.repeat(column)}`
  const second = wrap(text.split(/\s+/), width - column).join(margin)
  return first.length < column ? `${first.padEnd(column)}${second}` : `${first}${margin}${second}`
}

function wrap(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
