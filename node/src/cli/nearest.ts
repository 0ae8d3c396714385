import { nearest } from '#core/nearest.ts'
import { UsageError } from './usageError.ts'

/** Names what was probably meant; `otherwise` says where all of them are. */
export function unknownWord(
  what: string,
  typed: string,
  known: readonly string[],
  otherwise = `Use one of ${known.join(', ')}.`,
): UsageError {
  const meant = nearest(typed, known)
  const hint = meant === undefined ? otherwise : `Did you mean '${meant}'? ${otherwise}`
  return new UsageError(`Unknown ${what} '${typed}'.`, { hint })
}

/** What to say after Node's refusal of an option, which names the option in quotes; empty if nothing is near. */
export function meantOption(refusal: string, known: readonly string[]): string {
  const [, typed] = /^Unknown option '--([^']+)'/.exec(refusal) ?? []
  const meant = typed === undefined ? undefined : nearest(typed, known)
  return meant === undefined ? '' : `Did you mean --${meant}? `
}
