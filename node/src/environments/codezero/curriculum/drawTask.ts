import type { SeededRandom } from '../../seededRandom.ts'
import { easyFilters, type FilterId, hardFilters } from './filters.ts'
import { constants } from './isOfCurriculum.ts'
import { branchMaps, easyMaps, hardMaps, type MapId } from './maps.ts'
import {
  type AggregateId,
  arithmeticIds,
  type BeforeId,
  listAfters,
  numberAfters,
  stringOperationIds,
} from './operations.ts'
import { isConstant, isHeldOut } from './semanticKey.ts'
import { type Level, type Meaning, parametersOf, type Task, type Term } from './task.ts'
import { taskText } from './taskText.ts'

const functionNames = ['calc', 'solve', 'work', 'task', 'f', 'g', 'run', 'comp', 'pick', 'go']
/** Listed twice: drawn twice as often. */
const drawnAggregates: readonly AggregateId[] = ['sum', 'sum', 'product', 'count', 'list', 'list', 'max']
const drawnBefores: readonly BeforeId[] = ['skip', 'take', 'everySecond']

/** A task of the level that may be trained on. */
export function drawTrainingTask(level: Level, random: SeededRandom): Task {
  return drawTaskWhere(level, random, meaning => !isHeldOut(meaning))
}

/** A task of the level whose function is in the held-out class: for measurement only. */
export function drawHeldOutTask(level: Level, random: SeededRandom): Task {
  return drawTaskWhere(level, random, isHeldOut)
}

function drawTaskWhere(level: Level, random: SeededRandom, accept: (meaning: Meaning) => boolean): Task {
  for (;;) {
    const meaning = drawMeaning(level, random)
    if (!isConstant(meaning) && accept(meaning)) return taskOf(meaning, level, random)
  }
}

/** A task with this meaning, its name and wording drawn. */
function taskOf(meaning: Meaning, level: Level, random: SeededRandom): Task {
  const name = random.pick(functionNames)
  return { name, parameters: parametersOf[meaning.kind], text: taskText(meaning, random), level, meaning }
}

export const drawConstant = (random: SeededRandom): number => random.between(...constants.number)

function drawMeaning(level: Level, random: SeededRandom): Meaning {
  if (level === 1) {
    const after = random.pick(['none', ...numberAfters] as const)
    return { kind: 'arithmetic', operation: random.pick(arithmeticIds), after: drawTerm(after, random) }
  }
  if (level > 2) return drawLoop(level, random)
  if (random.chance(0.3)) {
    const [operation, letter] = [random.pick(stringOperationIds), random.pick([...'abcde'])]
    return { kind: 'string', operation, count: random.between(...constants.letters), letter }
  }
  return {
    kind: 'condition',
    filter: drawTerm(drawFilter(random), random),
    whenTrue: drawTerm(random.pick(branchMaps), random),
    whenFalse: drawTerm(random.pick(branchMaps), random),
  }
}

function drawLoop(level: Level, random: SeededRandom): Meaning {
  const filter = drawTerm(drawFilter(random), random)
  const aggregate = random.pick(drawnAggregates)
  const isEasyMap = random.chance(0.82)
  const map: MapId = aggregate === 'count' ? 'identity' : random.pick(isEasyMap ? easyMaps : hardMaps)
  const after = level < 4 ? 'none' : random.pick(aggregate === 'list' ? listAfters : numberAfters)
  const before = level < 5 ? 'none' : random.pick(drawnBefores)
  return {
    kind: 'loop',
    filter,
    map: drawTerm(map, random),
    aggregate,
    after: drawTerm(after, random),
    before: { id: before, constant: random.between(...constants.part) },
  }
}

function drawFilter(random: SeededRandom): FilterId {
  return random.pick(random.chance(0.58) ? easyFilters : hardFilters)
}

function drawTerm<Id extends string>(id: Id, random: SeededRandom): Term<Id> {
  return { id, constant: drawConstant(random) }
}
