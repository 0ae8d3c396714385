import { parseTaskText } from './curriculum/parseTaskText.ts'
import { isConstant, isHeldOut } from './curriculum/semanticKey.ts'
import { levelOf, type Problem, parametersOf, type Task } from './curriculum/task.ts'

/** Why a problem may not be trained on. */
export type Refusal = 'not understood' | 'held out' | 'wrong parameters' | 'constant'

/**
 * A problem as a task that may be trained on, or why not.
 *
 * The gate before anything trains: own tasks, proposals and groups taken from peers all pass it. What is not understood is
 * refused too, since it could be a held-out function in other words.
 */
export function admitProblem({ name, parameters, text }: Problem): Task | Refusal {
  const meaning = parseTaskText(text)
  if (!meaning) return 'not understood'
  if (parametersOf[meaning.kind].join() !== parameters.join()) return 'wrong parameters'
  if (isHeldOut(meaning)) return 'held out'
  if (isConstant(meaning)) return 'constant'
  return { name, parameters, text, level: levelOf(meaning), meaning }
}

/** Whether a problem may be trained on by the rule of an environment's specification. */
export function mayTrainOn(problem: Problem, rule: 'understood' | 'wellFormed'): boolean {
  const admitted = admitProblem(problem)
  return typeof admitted !== 'string' || (rule === 'wellFormed' && admitted === 'not understood')
}
