/** Writes `--stake -1` as `--stake=-1` for `parseArgs`: no option is a digit, and the number is checked later. */
export function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const last = joined.at(-1)
    if (/^-\d/.test(arg) && last !== undefined && /^--[^=]+$/.test(last)) joined.splice(-1, 1, `${last}=${arg}`)
    else joined.push(arg)
  }
  return joined
}
