import type { Texts } from './readTexts.ts'

/** Lines of a file, by the first pattern that its path matches. Most files have about 150. */
const LIMITS: readonly (readonly [path: RegExp, lines: number])[] = [
  [/^deployments\/abi/, Number.POSITIVE_INFINITY], // generated
  [/\.test\.tsx?$|\.t\.sol$|\/test\//, 450],
  [/^contracts\/src\/interfaces\//, 350], // two thirds are documentation
  [/./, 300],
]

/** Longer files probably have more than one responsibility. */
export function checkSizes(sources: Texts): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1
    const most = LIMITS.find(([pattern]) => pattern.test(path))?.[1] ?? 0
    return lines > most ? [`${path}: ${lines} lines, at most ${most}: divide it by subject`] : []
  })
}
