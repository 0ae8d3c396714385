import { filters } from './filters.ts'
import { maps } from './maps.ts'
import { type AggregateId, afters, befores } from './operations.ts'
import { isName, type Spelling, write } from './spelling.ts'
import { type LoopParts, plantBug, type StructuralBug } from './structuralBugs.ts'
import type { LoopMeaning } from './task.ts'

type LoopForm = 'loop' | 'comprehension' | 'twoSteps' | 'continues'

/** The words that a loop is written with, once they are chosen. */
type Words = {
  accumulator: string
  element: string
  iterated: string
  mapped: string
  condition: string | null
  /** ` if …` of a comprehension, or nothing. */
  guard: string
  finish(result: string): string
}

/** The body of a function that aggregates over a list, one line a statement. */
export function renderLoop(meaning: LoopMeaning, spelling: Spelling, bug: StructuralBug | null): string[] {
  const words = chooseWords(meaning, spelling)
  if (spelling.style === 'unseenForm' && words.condition) return unseenForm(meaning, words, words.condition, spelling)
  const form = chooseForm(meaning, spelling, bug)
  if (form === 'comprehension') return comprehension(meaning, words, spelling)
  if (form === 'twoSteps') return twoSteps(meaning, words, spelling)
  return plainLoop(meaning, words, spelling, form, bug)
}

function chooseWords(meaning: LoopMeaning, spelling: Spelling): Words {
  const [accumulator, element] = [spelling.accumulator(), spelling.element()]
  const spellings = filters[meaning.filter.id].spellings
  const condition = spellings.length ? write(spelling.choose(spellings), element, meaning.filter.constant) : null
  const after = spelling.choose(afters[meaning.after.id].spellings)
  return {
    accumulator,
    element,
    iterated: write(spelling.choose(befores[meaning.before.id].spellings), 'xs', meaning.before.constant),
    mapped: write(spelling.choose(maps[meaning.map.id].spellings), element, meaning.map.constant),
    condition,
    guard: condition ? ` if ${condition}` : '',
    finish: result => write(after, result, meaning.after.constant),
  }
}

function chooseForm(meaning: LoopMeaning, spelling: Spelling, bug: StructuralBug | null): LoopForm {
  const { random } = spelling
  const drawn: LoopForm = !spelling.isWide
    ? random.pick(['loop', 'loop', 'loop', 'comprehension'])
    : random.pick([
        'loop',
        ...(spelling.style === 'alternate' ? [] : ['loop' as const]),
        'comprehension',
        'twoSteps',
        'continues',
      ])
  if (bug) return drawn === 'continues' ? 'continues' : 'loop'
  const needsTwoSteps =
    meaning.aggregate === 'product' || (meaning.aggregate === 'max' && spelling.isWide && random.chance(0.3))
  return drawn === 'comprehension' && needsTwoSteps ? 'twoSteps' : drawn
}

const initialOf: Record<AggregateId, string> = { sum: '0', count: '0', product: '1', list: '[]', max: '0' }

function comprehension(meaning: LoopMeaning, words: Words, spelling: Spelling): string[] {
  const { random, isWide } = spelling
  const { accumulator, element, iterated, mapped, guard } = words
  const inner = `${mapped} for ${element} in ${iterated}${guard}`
  const rules: Record<AggregateId, () => string> = {
    sum: () => (!isWide || random.chance(0.5) ? `sum([${inner}])` : `sum(${inner})`),
    count: () => (!isWide || random.chance(0.6) ? `len([${inner}])` : `sum(1 for ${element} in ${iterated}${guard})`),
    list: () => `[${inner}]`,
    max: () => `max([0] + [${inner}])`,
    product: () => `[${inner}]`,
  }
  const result = rules[meaning.aggregate]()
  if (isWide && random.chance(0.3)) return [`${accumulator} = ${result}`, `return ${words.finish(accumulator)}`]
  return [`return ${words.finish(result)}`]
}

function twoSteps(meaning: LoopMeaning, words: Words, spelling: Spelling): string[] {
  const { accumulator, element, iterated, mapped, condition, guard } = words
  const list = spelling.listName
  const isShort = spelling.random.chance(0.5) || !condition
  const collect = isShort
    ? [`${list} = [${mapped} for ${element} in ${iterated}${guard}]`]
    : [`${list} = []`, `for ${element} in ${iterated}:`, `    if ${condition}:`, `        ${list}.append(${mapped})`]
  if (meaning.aggregate === 'product') {
    const multiply = [`${accumulator} = 1`, `for ${element} in ${list}:`, `    ${accumulator} *= ${element}`]
    return [...collect, ...multiply, `return ${words.finish(accumulator)}`]
  }
  const results = { sum: `sum(${list})`, count: `len(${list})`, list, max: `max([0] + ${list})` }
  return [...collect, `return ${words.finish(results[meaning.aggregate])}`]
}

function plainLoop(
  meaning: LoopMeaning,
  words: Words,
  spelling: Spelling,
  form: 'loop' | 'continues',
  bug: StructuralBug | null,
): string[] {
  const { accumulator, element } = words
  const whole: LoopParts = {
    initial: initialOf[meaning.aggregate],
    mapped: words.mapped,
    condition: words.condition,
    returned: accumulator,
    returnIndent: '',
    accumulate: mapped => accumulate(meaning.aggregate, accumulator, mapped, spelling),
  }
  const loop = { aggregate: meaning.aggregate, accumulator, element }
  const parts = bug ? plantBug(bug, whole, loop) : whole
  return [
    `${accumulator} = ${parts.initial}`,
    `for ${element} in ${words.iterated}:`,
    ...loopBody(parts, spelling, form, !bug && meaning.map.id !== 'identity'),
    `${parts.returnIndent}return ${words.finish(parts.returned)}`,
  ]
}

function loopBody(parts: LoopParts, spelling: Spelling, form: 'loop' | 'continues', mayName: boolean): string[] {
  const { condition, mapped } = parts
  if (!condition) return [`    ${parts.accumulate(mapped)}`]
  if (form === 'continues') return [`    if not (${condition}):`, '        continue', `    ${parts.accumulate(mapped)}`]
  if (spelling.isWide && mayName && spelling.random.chance(0.25)) {
    const name = spelling.mappedName
    return [`    if ${condition}:`, `        ${name} = ${mapped}`, `        ${parts.accumulate(name)}`]
  }
  return [`    if ${condition}:`, `        ${parts.accumulate(mapped)}`]
}

function accumulate(aggregate: AggregateId, accumulator: string, mapped: string, spelling: Spelling): string {
  const isShort = (share: number) => !spelling.isWide || spelling.random.chance(share)
  const rules: Record<AggregateId, () => string> = {
    sum: () => (isShort(0.6) ? `${accumulator} += ${mapped}` : `${accumulator} = ${accumulator} + ${mapped}`),
    count: () => (isShort(0.6) ? `${accumulator} += 1` : `${accumulator} = ${accumulator} + 1`),
    product: () =>
      isName(mapped) || isShort(0.6) ? `${accumulator} *= ${mapped}` : `${accumulator} = ${accumulator} * (${mapped})`,
    list: () => (isShort(0.7) ? `${accumulator}.append(${mapped})` : `${accumulator} += [${mapped}]`),
    max: () => `${accumulator} = max(${accumulator}, ${mapped})`,
  }
  return rules[aggregate]()
}

function unseenForm(meaning: LoopMeaning, words: Words, condition: string, spelling: Spelling): string[] {
  const { accumulator, element, iterated } = words
  const step = accumulate(meaning.aggregate, accumulator, words.mapped, { ...spelling, isWide: false })
  const start = `${accumulator} = ${initialOf[meaning.aggregate]}`
  const end = `return ${words.finish(accumulator)}`
  if (spelling.random.chance(0.5) && meaning.before.id === 'none') {
    const body = [`    ${element} = xs[j]`, `    if ${condition}:`, `        ${step}`]
    return [start, 'for j in range(len(xs)):', ...body, end]
  }
  return [start, `for ${element} in filter(lambda ${element}: ${condition}, ${iterated}):`, `    ${step}`, end]
}
