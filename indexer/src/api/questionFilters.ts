import { type ArgumentNode, type DocumentNode, type FieldNode, valueFromASTUntyped, visit } from 'graphql'
import { fewestNamed } from './questionScans.ts'

type Variables = Readonly<Record<string, unknown>>

/** Maximum of conditions in all filters of a question; twenty values of a list count as one. A statement compares every row with each. */
const MAX_CONDITIONS = 100
/** Maximum depth of nested `AND` and `OR`: a database parses them by recursion, and PGlite has a small stack. */
const MAX_NEST = 6
/** Maximum of conditions that search in texts: the leaderboard's search has three, twice. */
const MAX_PATTERNS = 6
/** Maximum length of a pattern, characters: one of many wildcards takes time in proportion to its length times that of each text. */
const MAX_PATTERN = 200

const PATTERN = /_(contains|starts_with|ends_with)(_nocase)?$/

/** Views that are made of all rounds or peers: a question names some of these, by columns that have an index. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  votes: ['round', 'peerKey', 'evaluatorKey'],
  earnings: ['round', 'peerKey'],
  purses: ['peerKey'],
  // Each row counts the peers before it.
  peerStandings: ['peerKey'],
}

/** The reason why the filters of a question are refused; null if they are accepted. */
export function filterFault(document: DocumentNode, variables: Variables): string | null {
  let [conditions, patterns] = [0, 0]
  let fault: string | null = null
  const walk = (where: unknown, nest: number): void => {
    if (typeof where !== 'object' || where === null) return
    if (nest > MAX_NEST) fault ??= `Its filters are more than ${MAX_NEST} deep.`
    if (fault !== null) return
    if (Array.isArray(where)) {
      for (const one of where) walk(one, nest + 1)
      return
    }
    for (const [key, value] of Object.entries(where)) {
      if (key === 'AND' || key === 'OR') for (const one of [value].flat()) walk(one, nest + 1)
      else {
        conditions += Array.isArray(value) ? 1 + value.length / 20 : 1
        if (!PATTERN.test(key)) continue
        patterns += 1
        if (typeof value === 'string' && value.length > MAX_PATTERN)
          fault ??= `It searches for a text of more than ${MAX_PATTERN} characters.`
      }
    }
  }
  visit(document, {
    Argument(argument) {
      if (argument.name.value === 'where') walk(argumentValue(argument, variables), 1)
    },
    VariableDefinition({ defaultValue }) {
      if (defaultValue !== undefined) walk(valueFromASTUntyped(defaultValue), 1)
    },
  })
  if (patterns > MAX_PATTERNS) fault ??= `Its filters search for more than ${MAX_PATTERNS} texts.`
  return fault ?? (conditions > MAX_CONDITIONS ? `Its filters have more than ${MAX_CONDITIONS} conditions.` : null)
}

/**
 * How many rounds or keys a list at the top of a question names, of which each is computed by itself; null for a list that needs none. A conjunction
 * is computed for the shortest of its lists.
 *
 * @returns or the reason why the list is refused: all of it would be computed, or searched, before its first row is known.
 */
export function namedBy({ name, arguments: given = [] }: FieldNode, variables: Variables): number | string | null {
  const argument = given.find(one => one.name.value === 'where')
  const where = argument === undefined ? {} : argumentValue(argument, variables)
  const isSearch = name.value === 'tasks' && searchesTexts(where)
  // Texts of tasks have kilobytes each, and only rounds have an index. A list of rounds can name all of them.
  const keys = isSearch ? ['round'] : NAMED[name.value]
  if (keys === undefined) return null
  const isNamed = (key: string) => keys.includes(isSearch ? key : key.replace(/_in$/, ''))
  const named = fewestNamed(where, isNamed)
  if (Number.isFinite(named)) return named
  return `A list of ${name.value} names ${isSearch ? 'one round' : keys.join(' or ')} in its filter.`
}

/** Whether a filter of tasks compares their texts; one that only a default of its variable has counts as such. */
function searchesTexts(where: unknown): boolean {
  if (typeof where !== 'object') return where === undefined
  return Object.entries(where ?? {}).some(([key, value]) =>
    key === 'AND' || key === 'OR' ? [value].flat().some(searchesTexts) : /^text(_|$)/.test(key),
  )
}

const argumentValue = ({ value }: ArgumentNode, variables: Variables) => valueFromASTUntyped(value, variables)
