import { type Games, inParts, readAfter } from '../games.ts'
import type { Level } from '../level.ts'
import { type SeededRandom, seededRandom } from '../seededRandom.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { type FilterId, filters, spokenFilters } from './curriculum/filters.ts'
import { branchMaps, mapIds } from './curriculum/maps.ts'
import { aftersOf } from './curriculum/mutateMeaning.ts'
import { aggregateIds } from './curriculum/operations.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import { isConstant, isHeldOut, semanticKey } from './curriculum/semanticKey.ts'
import type { ConditionMeaning, LoopMeaning, Meaning, Term } from './curriculum/task.ts'
import { taskText } from './curriculum/taskText.ts'
import type { CodeZeroFormat } from './promptFormat.ts'
import { answerOpening } from './prompts.ts'

/** Levels with enough similar functions. */
const LEVELS: readonly Level[] = [3, 4, 5]
const CHOICES = 4
const CLUES = 4

const ASKED = /^What does ([a-z]+)\(([a-z]+)\) do\?$/

/**
 * Questions about the text that a function fits. The clues are its code, part by part. A solver's belief in a text is the likelihood of the code for
 * it under its policy.
 */
export function codeGames(format: Pick<CodeZeroFormat, 'solverPrompt' | 'encode'>): Games {
  return {
    draw(seed) {
      const random = seededRandom(`game ${seed}`)
      const { task, others } = drawAlike(random)
      const meanings = random.shuffled([task.meaning, ...others])
      const clues = inParts(renderSolution(task, task.meaning, random, { style: 'narrow' }), CLUES)
      return {
        question: `What does ${task.name}(${task.parameters.join(', ')}) do?`,
        choices: meanings.map(meaning => taskText(meaning, random)),
        clues,
        answer: meanings.indexOf(task.meaning),
      }
    },
    async sequences({ question, choices }, clues) {
      const [, name, parameter] = ASKED.exec(question) ?? []
      if (name === undefined || parameter === undefined) return null
      const code = await format.encode(`${answerOpening}${clues.join('')}`)
      const prompts = choices.map(text => format.solverPrompt({ name, parameters: [parameter], text }))
      return (await Promise.all(prompts)).map(prompt => readAfter(prompt, code))
    },
  }
}

/** A task, and functions that are one concept away from it, no two of them the same. */
function drawAlike(random: SeededRandom) {
  for (;;) {
    const task = drawTrainingTask(random.pick(LEVELS), random)
    const known = new Set([semanticKey(task.meaning)])
    const others: Meaning[] = []
    for (const meaning of random.shuffled(neighbourMeanings(task.meaning))) {
      const key = semanticKey(meaning)
      if (known.has(key) || isConstant(meaning) || isHeldOut(meaning)) continue
      known.add(key)
      others.push(meaning)
      if (others.length === CHOICES - 1) return { task, others }
    }
  }
}

/** The meanings one concept or constant away that a text can express: plausible results of wrong code. */
export function neighbourMeanings(meaning: Meaning): Meaning[] {
  if (meaning.kind === 'loop') return loopNeighbours(meaning)
  return meaning.kind === 'condition' ? conditionNeighbours(meaning) : []
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
