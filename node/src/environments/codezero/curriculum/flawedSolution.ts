import type { SeededRandom } from '../../seededRandom.ts'
import { confusedFilter, type FilterId, hardFilters } from './filters.ts'
import { confusedMap, hardMaps, type MapId } from './maps.ts'
import { renderSolution } from './renderSolution.ts'
import { isHeldOut } from './semanticKey.ts'
import { type StructuralBug, typicalAggregateBug } from './structuralBugs.ts'
import type { Meaning, Task } from './task.ts'

/** How often the solver's corpus is wrong, by what is hard. Without flaws there would be nothing left to learn. */
const flawRates = { easy: 0.12, hard: 0.6, aggregate: 0.3, droppedStep: 0.25 } as const

/** An answer of the solver's corpus: right, or with a typical mistake, more often where the concept is hard. */
export function flawedSolution(task: Task, random: SeededRandom): string {
  const { meaning, bug } = flawedMeaning(task.meaning, random)
  // A mistake must not show how a held-out function is written.
  const shown = isHeldOut(meaning) ? task.meaning : meaning
  return renderSolution(task, shown, random, { style: 'narrow', bug })
}

function flawedMeaning(meaning: Meaning, random: SeededRandom): { meaning: Meaning; bug: StructuralBug | null } {
  if (meaning.kind === 'condition') {
    return {
      meaning: { ...meaning, filter: { ...meaning.filter, id: flawedFilter(meaning.filter.id, random) } },
      bug: null,
    }
  }
  if (meaning.kind !== 'loop') return { meaning, bug: null }
  const { filter, map, after, before, aggregate } = meaning
  const isDropped = () => random.chance(flawRates.droppedStep)
  const flawed: Meaning = {
    ...meaning,
    filter: { ...filter, id: flawedFilter(filter.id, random) },
    map: { ...map, id: flawedMap(map.id, random) },
    after: isDropped() ? { id: 'none', constant: 0 } : after,
    before: isDropped() ? { id: 'none', constant: 0 } : before,
  }
  return { meaning: flawed, bug: random.chance(flawRates.aggregate) ? (typicalAggregateBug[aggregate] ?? null) : null }
}

function flawedFilter(id: FilterId, random: SeededRandom): FilterId {
  return random.chance(hardFilters.includes(id) ? flawRates.hard : flawRates.easy) ? (confusedFilter[id] ?? id) : id
}

function flawedMap(id: MapId, random: SeededRandom): MapId {
  if (id === 'identity') return id
  return random.chance(hardMaps.includes(id) ? flawRates.hard : flawRates.easy) ? confusedMap[id] : id
}
