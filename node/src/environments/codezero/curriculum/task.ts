import { type Level, levels } from '../../level.ts'
import type { FilterId } from './filters.ts'
import type { MapId } from './maps.ts'
import type { AfterId, AggregateId, ArithmeticId, BeforeId, StringOperationId } from './operations.ts'

export { type Level, levels }

/** A concept with its constant; the constant is ignored where the concept takes none. */
export type Term<Id> = { id: Id; constant: number }

/** The computation of a function of the curriculum, independent of wording and spelling. */
export type Meaning =
  | { kind: 'arithmetic'; operation: ArithmeticId; after: Term<AfterId> }
  | { kind: 'string'; operation: StringOperationId; count: number; letter: string }
  | { kind: 'condition'; filter: Term<FilterId>; whenTrue: Term<MapId>; whenFalse: Term<MapId> }
  | {
      kind: 'loop'
      filter: Term<FilterId>
      map: Term<MapId>
      aggregate: AggregateId
      after: Term<AfterId>
      before: Term<BeforeId>
    }
export type LoopMeaning = Extract<Meaning, { kind: 'loop' }>
export type ArithmeticMeaning = Extract<Meaning, { kind: 'arithmetic' }>
export type StringMeaning = Extract<Meaning, { kind: 'string' }>
export type ConditionMeaning = Extract<Meaning, { kind: 'condition' }>

/** A problem for a solver: a text and the function's header. With `broken`, the solver repairs that code instead of writing its own. */
export type Problem = { name: string; parameters: readonly string[]; text: string; broken?: string }

/** A problem whose meaning is known. */
export type Task = Problem & { level: Level; meaning: Meaning }

/** The parameters' names, which problem texts refer to. */
export const parametersOf: Record<Meaning['kind'], readonly string[]> = {
  arithmetic: ['a', 'b'],
  string: ['s'],
  condition: ['n'],
  loop: ['xs'],
}

/** The level that a meaning belongs to. */
export function levelOf(meaning: Meaning): Level {
  if (meaning.kind === 'arithmetic') return 1
  if (meaning.kind !== 'loop') return 2
  if (meaning.before.id !== 'none') return 5
  return meaning.after.id === 'none' ? 3 : 4
}
