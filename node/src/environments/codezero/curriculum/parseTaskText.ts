import { filters, spokenFilters } from './filters.ts'
import { branchMaps, maps } from './maps.ts'
import { afters, aggregates, arithmetics, befores, listAfters, numberAfters, stringOperations } from './operations.ts'
import type { Meaning, Term } from './task.ts'

/**
 * Parses a problem text; null if it is not a sentence of the curriculum.
 *
 * The inverse of `taskText`, so that a model's text can be checked against the held-out class. Null also for
 * sentences that make no sense, such as a list that is then negated.
 */
export function parseTaskText(text: string): Meaning | null {
  for (const { pattern, read } of sentences) {
    const match = pattern.exec(text)
    if (match) return read(match.slice(1))
  }
  return null
}

type Choice = { id: string; template: string }
type Sentence = { pattern: RegExp; read(parts: string[]): Meaning | null }

/** Constants that problems use: 1 to 99, without leading zeros. */
const NUMBER = '[1-9][0-9]?'

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const asPattern = (template: string) => escaped(template).replaceAll('\\{c\\}', NUMBER).replaceAll('\\{h\\}', '[a-e]')

const choices = (table: Record<string, { texts: readonly string[] }>): Choice[] =>
  Object.entries(table).flatMap(([id, concept]) => concept.texts.map(template => ({ id, template })))

// Longest first, so that no alternative hides a longer one that begins alike.
const anyOf = (table: Choice[]) =>
  `(${table
    .map(choice => asPattern(choice.template))
    .sort((a, b) => b.length - a.length)
    .join('|')})`

function read<Id extends string>(table: Choice[], part: string): Term<Id> & { letter: string } {
  for (const { id, template } of table) {
    if (!new RegExp(`^${asPattern(template)}$`).test(part)) continue
    const constant = template.includes('{c}') ? Number(/[0-9]+/.exec(part)?.[0]) : 0
    const letter = template.includes('{h}') ? (/often ([a-e])/.exec(part)?.[1] ?? 'a') : 'a'
    return { id: id as Id, constant, letter }
  }
  throw new Error(`no phrase of the table reads '${part}'`)
}

const term = <Id extends string>(table: Choice[], part: string): Term<Id> => {
  const { id, constant } = read<Id>(table, part)
  return { id, constant }
}

const filterChoices = choices(Object.fromEntries(spokenFilters.map(id => [id, filters[id]])))
const mapChoices = choices(maps)
const branchChoices: Choice[] = branchMaps.map(id => ({ id, template: maps[id].conditionalText ?? '' }))
const aggregateChoices = choices(Object.fromEntries(Object.entries(aggregates).map(([id, texts]) => [id, { texts }])))
const afterChoices = choices(afters)
const beforeChoices = choices(befores)
const arithmeticChoices = choices(arithmetics)
const stringChoices = choices(stringOperations)

const allowedAfters = (isList: boolean): readonly string[] => ['none', ...(isList ? listAfters : numberAfters)]

const loopSentence: Sentence = {
  pattern: new RegExp(
    `^${anyOf(beforeChoices)}[Rr]eturn ${anyOf(aggregateChoices)} the numbers in xs that are ` +
      `${anyOf(filterChoices)}${anyOf(mapChoices)}${anyOf(afterChoices)}\\.$`,
  ),
  read: ([before = '', aggregate = '', filter = '', map = '', after = '']) => {
    const meaning: Meaning = {
      kind: 'loop',
      filter: term(filterChoices, filter),
      map: term(mapChoices, map),
      aggregate: read<keyof typeof aggregates>(aggregateChoices, aggregate).id,
      after: term(afterChoices, after),
      before: term(beforeChoices, before),
    }
    return allowedAfters(meaning.aggregate === 'list').includes(meaning.after.id) ? meaning : null
  },
}

const conditionSentence: Sentence = {
  pattern: new RegExp(
    `^Return ${anyOf(branchChoices)} if n is ${anyOf(filterChoices)}, otherwise ${anyOf(branchChoices)}\\.$`,
  ),
  read: ([then = '', filter = '', otherwise = '']) => ({
    kind: 'condition',
    filter: term(filterChoices, filter),
    whenTrue: term(branchChoices, then),
    whenFalse: term(branchChoices, otherwise),
  }),
}

const stringSentence: Sentence = {
  pattern: new RegExp(`^Return ${anyOf(stringChoices)}\\.$`),
  read: ([operation = '']) => {
    const { id, constant, letter } = read<keyof typeof stringOperations>(stringChoices, operation)
    return { kind: 'string', operation: id, count: constant, letter }
  },
}

const arithmeticSentence: Sentence = {
  pattern: new RegExp(`^Return ${anyOf(arithmeticChoices)}${anyOf(afterChoices)}\\.$`),
  read: ([operation = '', after = '']) => {
    const meaning: Meaning = {
      kind: 'arithmetic',
      operation: term<keyof typeof arithmetics>(arithmeticChoices, operation).id,
      after: term(afterChoices, after),
    }
    return allowedAfters(false).includes(meaning.after.id) ? meaning : null
  },
}

const sentences = [loopSentence, conditionSentence, stringSentence, arithmeticSentence]
