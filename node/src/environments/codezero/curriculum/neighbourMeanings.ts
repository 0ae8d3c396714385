import { type FilterId, filters, spokenFilters } from './filters.ts'
import { branchMaps, mapIds } from './maps.ts'
import { aftersOf } from './mutateMeaning.ts'
import { type AfterId, aggregateIds, arithmeticIds, numberAfters, stringOperationIds } from './operations.ts'
import type { ArithmeticMeaning, ConditionMeaning, LoopMeaning, Meaning, StringMeaning, Term } from './task.ts'

/** The meanings one concept or constant away that a text can express: plausible results of wrong code. */
export function neighbourMeanings(meaning: Meaning): Meaning[] {
  switch (meaning.kind) {
    case 'arithmetic':
      return arithmeticNeighbours(meaning)
    case 'string':
      return stringNeighbours(meaning)
    case 'condition':
      return conditionNeighbours(meaning)
    case 'loop':
      return loopNeighbours(meaning)
  }
}

/** Any of the four operations on `a` and `b`, with any that may follow. */
function arithmeticNeighbours(meaning: ArithmeticMeaning): Meaning[] {
  const { after } = meaning
  const afters: Term<AfterId>[] = [
    ...atConstants(after, new Set([after.constant])),
    ...(['none', ...numberAfters] as const).map(id => ({ ...after, id })),
  ]
  return arithmeticIds.flatMap(operation => afters.map(term => ({ ...meaning, operation, after: term })))
}

function stringNeighbours(meaning: StringMeaning): Meaning[] {
  const found = stringOperationIds.map(operation => ({ ...meaning, operation }))
  const counts = [meaning.count - 1, meaning.count + 1].filter(count => count >= 2)
  return [...found, ...counts.map(count => ({ ...meaning, count }))]
}

function loopNeighbours(meaning: LoopMeaning): Meaning[] {
  const { filter, map, after, before, aggregate } = meaning
  const constants = new Set([filter, map, after].map(term => term.constant).filter(c => c > 0))
  const found: Meaning[] = [...filterTerms(filter, map.constant), ...atConstants(filter, constants)]
    .filter(term => filters[term.id].texts.length > 0)
    .map(term => ({ ...meaning, filter: term }))
  const mapConstant = map.constant || filter.constant || 2
  for (const id of mapIds) found.push({ ...meaning, map: { id, constant: mapConstant } })
  for (const term of atConstants(map, constants)) found.push({ ...meaning, map: term })
  for (const id of aggregateIds) {
    if (aftersOf(id).includes(after.id)) found.push({ ...meaning, aggregate: id })
  }
  if (after.id !== 'none') {
    for (const id of aftersOf(aggregate)) found.push({ ...meaning, after: { ...after, id } })
    for (const term of atConstants(after, constants)) found.push({ ...meaning, after: term })
  }
  if (before.id !== 'none') {
    found.push({ ...meaning, before: { ...before, id: 'none' } })
    for (const term of atConstants(before, new Set())) found.push({ ...meaning, before: term })
  }
  return found.filter(isSayable)
}

/** Conditions such as `x > 1` have no constant, but 'at least 2' and 'less than 2' mean the same. */
function filterTerms(filter: Term<FilterId>, otherConstant: number): Term<FilterId>[] {
  const constant = filter.constant || otherConstant || 2
  const fixed: Term<FilterId>[] = [
    { id: 'atLeast', constant: 2 },
    { id: 'below', constant: 2 },
  ]
  return [...spokenFilters.map(id => ({ id, constant })), ...fixed]
}

function atConstants<Id>(term: Term<Id>, constants: ReadonlySet<number>): Term<Id>[] {
  const near = [term.constant - 1, term.constant + 1].filter(c => c >= 2)
  return [...new Set([...constants, ...near])].map(constant => ({ ...term, constant }))
}

/** Texts exist only for spoken conditions; conditions that only code uses have none. */
function isSayable(meaning: Meaning): boolean {
  return meaning.kind !== 'loop' || filters[meaning.filter.id].texts.length > 0
}

function conditionNeighbours(meaning: ConditionMeaning): Meaning[] {
  const { filter, whenTrue, whenFalse } = meaning
  const found: ConditionMeaning[] = spokenFilters.map(id => ({ ...meaning, filter: { ...filter, id } }))
  for (const id of branchMaps) {
    found.push({ ...meaning, whenTrue: { ...whenTrue, id } }, { ...meaning, whenFalse: { ...whenFalse, id } })
  }
  found.push({ ...meaning, whenTrue: whenFalse, whenFalse: whenTrue })
  return found.filter(({ filter: { id } }) => filters[id].texts.length > 0)
}
