import type { SeededRandom } from '../../seededRandom.ts'
import { drawConstant } from './drawTask.ts'
import { confusedFilter, type FilterId, filters, spokenFilters } from './filters.ts'
import { branchMaps, confusedMap, type MapId, mapIds, maps } from './maps.ts'
import {
  type AfterId,
  type AggregateId,
  afters,
  aggregateIds,
  arithmeticIds,
  type BeforeId,
  beforeIds,
  befores,
  listAfters,
  numberAfters,
  stringOperationIds,
} from './operations.ts'
import type { ArithmeticMeaning, ConditionMeaning, LoopMeaning, Meaning, Term } from './task.ts'

/** A near-miss: one concept or constant changed. It may, rarely, mean the same as before. */
export function mutateMeaning(meaning: Meaning, random: SeededRandom): Meaning {
  switch (meaning.kind) {
    case 'arithmetic':
      return mutateArithmetic(meaning, random)
    case 'string':
      if (random.chance(0.6)) return { ...meaning, operation: other(stringOperationIds, meaning.operation, random) }
      return { ...meaning, count: meaning.count + random.pick([-1, 1]), letter: random.pick([...'abcde']) }
    case 'condition':
      return mutateCondition(meaning, random)
    case 'loop':
      return mutateLoop(meaning, random)
  }
}

function other<T>(items: readonly T[], than: T, random: SeededRandom): T {
  const rest = items.filter(item => item !== than)
  return rest.length ? random.pick(rest) : than
}

/** A neighbouring constant, at least `floor`. */
function nudged<Id>(term: Term<Id>, random: SeededRandom, floor: number, steps = [-1, 1, 2]): Term<Id> {
  return { ...term, constant: Math.max(floor, term.constant + random.pick(steps)) }
}

/** The same constant under another concept; drawn if the concept had none. */
function renamed<Id extends string>(term: Term<Id>, id: Id, random: SeededRandom): Term<Id> {
  return { id, constant: term.constant || drawConstant(random) }
}

function mutateArithmetic(meaning: ArithmeticMeaning, random: SeededRandom): Meaning {
  const { after } = meaning
  if (random.chance(0.5) || after.id === 'none') {
    return { ...meaning, operation: other(arithmeticIds, meaning.operation, random) }
  }
  if (random.chance(0.5)) {
    return { ...meaning, after: renamed(after, other<AfterId>(['none', ...numberAfters], after.id, random), random) }
  }
  return { ...meaning, after: nudged(after, random, 2) }
}

function mutateCondition(meaning: ConditionMeaning, random: SeededRandom): Meaning {
  const { filter, whenTrue, whenFalse } = meaning
  const branch = random.pick(['whenTrue', 'whenFalse'] as const)
  const change = random.weighted([
    ['filter', 0.35],
    ['filterConstant', 0.2],
    ['swap', 0.15],
    ['map', 0.15],
    ['mapConstant', 0.15],
  ] as const)
  const rules: Record<typeof change, () => Partial<ConditionMeaning>> = {
    filter: () => {
      const confused = confusedFilter[filter.id]
      return { filter: renamed(filter, confused && random.chance(0.7) ? confused : random.pick(spokenFilters), random) }
    },
    filterConstant: () => ({ filter: nudged(filter, random, 1) }),
    swap: () => ({ whenTrue: whenFalse, whenFalse: whenTrue }),
    map: () => ({ [branch]: renamed(meaning[branch], other(branchMaps, meaning[branch].id, random), random) }),
    mapConstant: () => ({ [branch]: nudged(meaning[branch], random, 2) }),
  }
  return { ...meaning, ...rules[change]() }
}

type LoopChange =
  | 'filter'
  | 'map'
  | 'aggregate'
  | 'filterConstant'
  | 'mapConstant'
  | 'after'
  | 'afterConstant'
  | 'before'
  | 'beforeConstant'

function mutateLoop(meaning: LoopMeaning, random: SeededRandom): Meaning {
  const { filter, map, after, before } = meaning
  const [filterTakes, mapTakes] = [filters[filter.id].takesConstant, maps[map.id].takesConstant]
  const changes: LoopChange[] = ['filter', 'filter', 'filter', 'map', 'aggregate']
  if (filterTakes) changes.push('filterConstant')
  if (mapTakes) changes.push('mapConstant')
  if (after.id !== 'none') changes.push('after')
  if (afters[after.id].takesConstant) changes.push('afterConstant')
  if (before.id !== 'none') changes.push('before')
  if (befores[before.id].takesConstant) changes.push('beforeConstant')
  const rules: Record<LoopChange, () => Partial<LoopMeaning>> = {
    filter: () => ({ filter: renamed(filter, mistakenFilter(filter.id, random), random) }),
    map: () => ({ map: renamed(map, mistakenMap(map.id, random), random) }),
    aggregate: () => ({ aggregate: mistakenAggregate(meaning, random) }),
    filterConstant: () => ({
      filter:
        mapTakes && random.chance(0.25)
          ? { ...filter, constant: map.constant }
          : nudged(filter, random, 1, [-1, 1, 2, -2]),
    }),
    mapConstant: () => ({
      map:
        filterTakes && random.chance(0.25)
          ? { ...map, constant: filter.constant }
          : nudged(map, random, 1, [-1, 1, 2, -2]),
    }),
    after: () => ({ after: renamed(after, random.pick(aftersOf(meaning.aggregate)), random) }),
    afterConstant: () => ({ after: nudged(after, random, 1) }),
    before: () => ({ before: renamed<BeforeId>(before, random.pick(beforeIds), random) }),
    beforeConstant: () => ({ before: nudged(before, random, 1, [-1, 1]) }),
  }
  return { ...meaning, ...rules[random.pick(changes)]() }
}

/** Operations that may follow an aggregate: ordering for lists, arithmetic for numbers. */
export function aftersOf(aggregate: AggregateId): readonly AfterId[] {
  return ['none', ...(aggregate === 'list' ? listAfters : numberAfters)]
}

function mistakenFilter(id: FilterId, random: SeededRandom): FilterId {
  const confused = confusedFilter[id] ?? 'even'
  return random.pick<FilterId>([confused, confused, confused, 'all', ...spokenFilters])
}

function mistakenMap(id: MapId, random: SeededRandom): MapId {
  const confused = confusedMap[id]
  return random.pick([confused, confused, confused, ...mapIds])
}

function mistakenAggregate(meaning: LoopMeaning, random: SeededRandom): AggregateId {
  if (meaning.after.id === 'none') return other(aggregateIds, meaning.aggregate, random)
  return meaning.aggregate === 'list' ? 'list' : other(['sum', 'product', 'max', 'count'], meaning.aggregate, random)
}
