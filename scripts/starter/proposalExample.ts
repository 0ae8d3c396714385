import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { evaluate } from '../../node/src/environments/codezero/curriculum/evaluate.ts'
import { type PythonValue, pythonRepr } from '../../node/src/environments/codezero/curriculum/pythonValue.ts'
import { callOf } from '../../node/src/environments/codezero/curriculum/strictTests.ts'
import type { Level, Meaning } from '../../node/src/environments/codezero/curriculum/task.ts'
import { formatProposal } from '../../node/src/environments/codezero/parseProposal.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'

/** A proposal as the solver learns to write it: a training task, and one to three short tests with right values. */
export function proposalExample(level: Level, random: SeededRandom): string {
  const task = drawTrainingTask(level, random)
  const tests = Array.from({ length: random.between(1, 3) }, () => {
    const args = shortInput(task.meaning, random)
    return `assert ${callOf(task, args)} == ${pythonRepr(evaluate(task.meaning, args))}`
  })
  return formatProposal({ problem: task, tests })
}

function shortInput(meaning: Meaning, random: SeededRandom): PythonValue[] {
  const int = () => BigInt(random.between(-5, 12))
  const rules: Record<Meaning['kind'], () => PythonValue[]> = {
    arithmetic: () => [int(), int()],
    string: () => [Array.from({ length: random.between(3, 6) }, () => random.pick([...'abcdeAB'])).join('')],
    condition: () => [int()],
    loop: () => [Array.from({ length: random.between(1, 4) }, int)],
  }
  return rules[meaning.kind]()
}
