import type { SeededRandom } from '../seededRandom.ts'
import { mutateMeaning } from './curriculum/mutateMeaning.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import { isConstant, isHeldOut, semanticKey } from './curriculum/semanticKey.ts'
import type { Task } from './curriculum/task.ts'

/**
 * A task with a broken function to repair: a near-miss whose values differ on the curriculum's battery of inputs, so that it is broken by
 * construction. It never reveals the code of a held-out function.
 */
export function repairTask<T extends Task>(task: T, random: SeededRandom): T & { broken: string } {
  for (;;) {
    const meaning = mutateMeaning(task.meaning, random)
    if (semanticKey(meaning) === semanticKey(task.meaning) || isHeldOut(meaning) || isConstant(meaning)) continue
    return { ...task, broken: renderSolution(task, meaning, random) }
  }
}

/** The task itself, or with the given probability its broken form. At 0 nothing is drawn, so later draws do not change. */
export function maybeBroken<T extends Task>(task: T, share: number, random: SeededRandom): T {
  return share > 0 && random.chance(share) ? repairTask(task, random) : task
}
