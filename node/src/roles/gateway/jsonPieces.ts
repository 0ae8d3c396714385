/**
 * An object as JSON, in pieces to be written one after the other: its lists come item by item. A round of the largest bundles has
 * tens of megabytes, and is never one long piece.
 */
export function* jsonPieces(body: object): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    before = ','
    if (Array.isArray(value)) yield* listPieces(value)
    else yield JSON.stringify(value)
  }
  yield before === '{' ? '{}' : '}'
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  let before = '['
  for (const item of items) {
    yield `${before}${JSON.stringify(item) ?? 'null'}`
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
