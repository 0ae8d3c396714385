import { type SeededRandom, seededRandom } from '../../seededRandom.ts'
import { drawInputs } from '../curriculum/drawInputs.ts'
import { drawTrainingTask } from '../curriculum/drawTask.ts'
import { evaluate } from '../curriculum/evaluate.ts'
import { mutateMeaning } from '../curriculum/mutateMeaning.ts'
import { pythonRepr } from '../curriculum/pythonValue.ts'
import { renderSolution } from '../curriculum/renderSolution.ts'
import { semanticKey } from '../curriculum/semanticKey.ts'
import { levels, type Task } from '../curriculum/task.ts'
import type { JudgedPair } from './createJudge.ts'

export type LabelledPair = JudgedPair & { readonly isRight: boolean }

/** One in this many wrong pairs is trivial. */
const TRIVIAL_EVERY = 4

/**
 * Problems with code, half right and half wrong, cycling through the levels. Labels hold by construction: wrong code is a near-miss whose
 * values differ on the curriculum's battery of inputs, or returns a parameter unchanged.
 */
export function labelledPairs(count: number, seed: string): LabelledPair[] {
  const random = seededRandom(`true or false ${seed}`)
  const pairs: LabelledPair[] = []
  while (pairs.length < count) {
    const task = drawTrainingTask(levels[Math.floor(pairs.length / 2) % levels.length] ?? 3, random)
    const isRight = pairs.length % 2 === 0
    const isTrivial = (pairs.length + 1) % (2 * TRIVIAL_EVERY) === 0
    const code = isRight ? renderSolution(task, task.meaning, random) : wrongCode(task, isTrivial, random)
    if (code !== null) pairs.push({ problem: task, code, isRight })
  }
  return pairs
}

/** Null if the drawn code turns out to be right. */
function wrongCode(task: Task, isTrivial: boolean, random: SeededRandom): string | null {
  if (!isTrivial) {
    const meaning = mutateMeaning(task.meaning, random)
    return semanticKey(meaning) === semanticKey(task.meaning) ? null : renderSolution(task, meaning, random)
  }
  const at = random.between(0, task.parameters.length - 1)
  const isRight = drawInputs(task.meaning, random).every(
    args => pythonRepr(evaluate(task.meaning, args)) === pythonRepr(args[at] ?? []),
  )
  return isRight ? null : `def ${task.name}(${task.parameters.join(', ')}):\n    return ${task.parameters[at]}\n`
}
