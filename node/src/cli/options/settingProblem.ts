import type { z } from 'zod'
import { nearest } from '#core/nearest.ts'
import { redactUrls } from '#core/redactUrls.ts'

const MAX_QUOTED = 80

type Issue = z.core.$ZodIssue

/**
 * Describes an invalid setting and what is allowed: `--role must be solver or judge, not 'wizard'`.
 *
 * @param name - of the option or the setting, as it was written.
 * @param value - the given value. It is quoted only if the setting takes a word or a number: a URL may hold a key.
 */
export function settingProblem(name: string, issue: Issue, value: unknown): string {
  const due = whatIsDue(issue)
  if (due === null) return `${name} is ${issue.message}`
  const isQuoted = typeof value === 'string' || typeof value === 'number'
  return `${name} must be ${due}${isQuoted ? `, not '${quotable(String(value))}'` : ''}`
}

/** A setting that does not exist. */
export function unknownSetting(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return `there is no setting '${quotable(name)}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`
}

/** Text in the wrong place may be a URL with a key, or a whole file. */
export function quotable(text: string): string {
  const shown = redactUrls(text, [])
  return shown.length > MAX_QUOTED ? `${shown.slice(0, MAX_QUOTED)}…` : shown
}

/** Null if the schema has its own message, which then follows `is`. */
function whatIsDue(issue: Issue): string | null {
  switch (issue.code) {
    case 'invalid_value':
      return orList(issue.values.filter(value => typeof value === 'string'))
    case 'too_small':
      return issue.origin === 'string' ? 'given' : `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`
    case 'invalid_type':
      return kinds[issue.expected] ?? null
    case 'invalid_union':
      return orList(
        issue.errors.map(([first]) => (first === undefined ? null : whatIsDue(first))).filter(due => due !== null),
      )
    default:
      return null
  }
}

const kinds: Readonly<Partial<Record<string, string>>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
