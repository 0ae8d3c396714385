import type { Texts } from './readTexts.ts'

/** Lines of a file, by the first pattern that its path matches. Most files have about 150. */
const LIMITS: readonly (readonly [path: RegExp, lines: number])[] = [
  [/^deployments\/abi/, Number.POSITIVE_INFINITY], // generated
  [/\.test\.tsx?$|\.t\.sol$|\/test\//, 450],
  [/^contracts\/src\/interfaces\//, 350], // two thirds are documentation
  [/./, 300],
]

/** Files that are longer, with the most that they may have. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  'contracts/src/interfaces/IPredictionMarket.sol': 500,
}

/** A file that is longer has more than one subject. */
export function checkSizes(sources: Texts, exceptions = EXCEPTIONS): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1
    const usual = LIMITS.find(([pattern]) => pattern.test(path))?.[1] ?? 0
    const most = exceptions[path] ?? usual
    if (path in exceptions && lines <= usual) return [`${path}: ${lines} lines: needs no exception`]
    return lines > most ? [`${path}: ${lines} lines, at most ${most}: divide it by subject`] : []
  })
}
