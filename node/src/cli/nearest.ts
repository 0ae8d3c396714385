import { nearest } from '#core/nearest.ts'
import type { CommandAction } from './command.ts'
import { UsageError } from './usageError.ts'

/** Suggests the nearest known word; `otherwise` is the hint if none is near. */
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

/** The action that a person typed. @throws {UsageError} if it is not one of the known ones. */
export function knownAction<Name extends string>(typed: string, known: readonly CommandAction<Name>[]): Name {
  const names = known.map(({ name }) => name)
  const action = names.find(name => name === typed)
  if (action === undefined) throw unknownWord('action', typed, names)
  return action
}

/** A hint for Node's refusal of an option, which names the option in quotes; empty if no known option is near. */
export function meantOption(refusal: string, known: readonly string[]): string {
  const [, typed] = /^Unknown option '--([^']+)'/.exec(refusal) ?? []
  const meant = typed === undefined ? undefined : nearest(typed, known)
  return meant === undefined ? '' : `Did you mean --${meant}? `
}
