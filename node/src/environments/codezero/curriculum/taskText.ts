import type { SeededRandom } from '../../seededRandom.ts'
import { filters } from './filters.ts'
import { maps } from './maps.ts'
import { afters, aggregates, arithmetics, befores, stringOperations } from './operations.ts'
import type { LoopMeaning, Meaning } from './task.ts'

/** A phrase with its constant and letter written in. */
export function phrase(template: string, constant: number, letter = ''): string {
  return template.replaceAll('{c}', String(constant)).replaceAll('{h}', letter)
}

/** A problem text for a meaning, its wording drawn at random. `parseTaskText` is the inverse. */
export function taskText(meaning: Meaning, random: SeededRandom): string {
  const say = (texts: readonly string[], constant: number) => phrase(random.pick(texts), constant)
  switch (meaning.kind) {
    case 'arithmetic': {
      const after = say(afters[meaning.after.id].texts, meaning.after.constant)
      return `Return ${random.pick(arithmetics[meaning.operation].texts)}${after}.`
    }
    case 'string':
      return `Return ${phrase(random.pick(stringOperations[meaning.operation].texts), meaning.count, meaning.letter)}.`
    case 'condition': {
      const [then, otherwise] = [meaning.whenTrue, meaning.whenFalse].map(branch =>
        phrase(maps[branch.id].conditionalText ?? '', branch.constant),
      )
      return `Return ${then} if n is ${say(filters[meaning.filter.id].texts, meaning.filter.constant)}, otherwise ${otherwise}.`
    }
    case 'loop':
      return loopText(meaning, say)
  }
}

function loopText(meaning: LoopMeaning, say: (texts: readonly string[], constant: number) => string): string {
  const { filter, map, after, before } = meaning
  const opening = say(befores[before.id].texts, before.constant)
  const subject = `${say(aggregates[meaning.aggregate], 0)} the numbers in xs that are`
  const condition = say(filters[filter.id].texts, filter.constant)
  const rest = say(maps[map.id].texts, map.constant) + say(afters[after.id].texts, after.constant)
  return `${opening}${opening ? 'return' : 'Return'} ${subject} ${condition}${rest}.`
}
