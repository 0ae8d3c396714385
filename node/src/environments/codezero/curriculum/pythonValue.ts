/** The values that the curriculum's functions take and return: int, str and list. */
export type PythonValue = bigint | string | readonly PythonValue[]

/** Python's `repr` of a value, so that results can be compared as text, types included. */
export function pythonRepr(value: PythonValue): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return `[${value.map(pythonRepr).join(', ')}]`
}

/** Python's `%`: the result has the sign of the divisor. */
export function floorModulo(a: bigint, b: bigint): bigint {
  const rest = a % b
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest
}

/**
 * A literal of the three types back to its value: the inverse of `pythonRepr` on what it writes.
 *
 * @returns null if the text is not exactly one literal, or is nested deeper than 8.
 */
export function parsePythonLiteral(text: string): PythonValue | null {
  const read = readLiteral(text.trim(), 0, 0)
  return read && read.end === text.trim().length ? read.value : null
}

type Read = { value: PythonValue; end: number }

function readLiteral(text: string, start: number, depth: number): Read | null {
  if (depth > 8) return null
  const number = /-?\d+/y
  number.lastIndex = start
  const digits = number.exec(text)
  if (digits) return { value: BigInt(digits[0]), end: number.lastIndex }
  const quoted = /'([^'\\\n]*)'|"([^"\\\n]*)"/y
  quoted.lastIndex = start
  const string = quoted.exec(text)
  if (string) return { value: string[1] ?? string[2] ?? '', end: quoted.lastIndex }
  return text[start] === '[' ? readList(text, start + 1, depth) : null
}

function readList(text: string, start: number, depth: number): Read | null {
  const items: PythonValue[] = []
  let at = start
  if (text[at] === ']') return { value: items, end: at + 1 }
  for (;;) {
    const item = readLiteral(text, at, depth + 1)
    if (!item) return null
    items.push(item.value)
    at = item.end
    if (text[at] === ']') return { value: items, end: at + 1 }
    const comma = /, ?/y
    comma.lastIndex = at
    if (!comma.test(text)) return null
    at = comma.lastIndex
  }
}
