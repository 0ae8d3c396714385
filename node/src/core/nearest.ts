/**
 * The known word that was probably meant: one that begins with the typed text, else one that ends with it, else the one with the fewest
 * typing errors. None if more than a third of the letters, and more than one, would be wrong.
 */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  const begun = word.length < 2 ? [] : known.filter(name => name.startsWith(word))
  const ended = word.length < 3 ? [] : known.filter(name => name.endsWith(word))
  const parts = begun.length > 0 ? begun : ended
  if (parts.length > 0) return parts.sort((a, b) => a.length - b.length)[0]
  const most = Math.max(1, Math.floor(word.length / 3))
  const [best] = known.map(name => ({ name, errors: typingErrors(word, name) })).sort((a, b) => a.errors - b.errors)
  return best !== undefined && best.errors <= most && best.errors < word.length ? best.name : undefined
}

/** Letters that are wrong, missing, too many, or swapped with the next: the optimal string alignment distance. */
function typingErrors(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(a.length, b.length)
}
