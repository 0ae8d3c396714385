import { drawHeldOutTask, drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { unspokenFilters } from '../../node/src/environments/codezero/curriculum/filters.ts'
import { mutateMeaning } from '../../node/src/environments/codezero/curriculum/mutateMeaning.ts'
import { type RenderOptions, renderSolution } from '../../node/src/environments/codezero/curriculum/renderSolution.ts'
import { semanticKey } from '../../node/src/environments/codezero/curriculum/semanticKey.ts'
import { structuralBugs } from '../../node/src/environments/codezero/curriculum/structuralBugs.ts'
import type { Level, Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Attempt } from './execute.ts'
import { judgeLevels } from './levelMix.ts'

/**
 * Origin of a candidate: right code; code for a meaning one or two concepts away; a structural bug; a condition
 * that no text says; code for another task.
 */
export type Origin = 'right' | 'near' | 'twoAway' | 'structural' | 'unspoken' | 'other'
export type OriginMix = readonly (readonly [Origin, number])[]

type CandidateOptions = {
  mix: OriginMix
  /** Level; by default the judge's mix of levels. */
  level?: Level
  heldOut?: boolean
  spelling?: RenderOptions
}

/** Code for drawn tasks, right and wrong by construction; what it really does, execution tells. */
export function drawCandidates(count: number, random: SeededRandom, options: CandidateOptions): Attempt[] {
  const found: Attempt[] = []
  while (found.length < count) {
    const candidate = drawCandidate(random, options)
    if (candidate) found.push(candidate)
  }
  return found
}

function drawCandidate(
  random: SeededRandom,
  { mix, level, heldOut = false, spelling = {} }: CandidateOptions,
): Attempt | null {
  const origin = random.weighted(mix)
  const draw = heldOut ? drawHeldOutTask : drawTrainingTask
  const task = draw(level ?? random.weighted(judgeLevels), random)
  const code = codeOf(origin, task, random, spelling)
  return code === null ? null : { code, task, origin }
}

function codeOf(origin: Origin, task: Task, random: SeededRandom, spelling: RenderOptions): string | null {
  const { meaning } = task
  const render = (changed: Task['meaning'], more: RenderOptions = {}) =>
    semanticKey(changed) === semanticKey(meaning)
      ? null
      : renderSolution(task, changed, random, { ...spelling, ...more })
  switch (origin) {
    case 'right':
      return renderSolution(task, meaning, random, spelling)
    case 'near':
      return render(mutateMeaning(meaning, random))
    case 'twoAway':
      return render(mutateMeaning(mutateMeaning(meaning, random), random))
    case 'structural':
      if (meaning.kind !== 'loop') return null
      return renderSolution(task, meaning, random, { ...spelling, bug: random.pick(structuralBugs) })
    case 'unspoken':
      if (meaning.kind !== 'loop') return null
      return render({ ...meaning, filter: { ...meaning.filter, id: random.pick(unspokenFilters) } })
    case 'other':
      return render(drawTrainingTask(task.level, random).meaning)
  }
}
