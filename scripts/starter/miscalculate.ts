import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { renderSolution } from '../../node/src/environments/codezero/curriculum/renderSolution.ts'
import type { Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import { parsePython } from '../../node/src/environments/codezero/python/parsePython.ts'
import type { PythonNode } from '../../node/src/environments/codezero/python/pythonNode.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Attempt } from './execute.ts'
import { judgeLevels } from './levelMix.ts'

const operators: ReadonlySet<string> = new Set(['+', '-', '*', '**'])

type Calculation = { left: string; operator: string; right: string; operand: string }

/** Wrong calculations to replace a right one with; `operand` is one of its two. */
const slips: Record<string, (calculation: Calculation, random: SeededRandom) => string> = {
  swapped: ({ left, operator, right }) => `${right} ${operator} ${left}`,
  'a term more': ({ left, operator, right, operand }, random) =>
    `${left} ${operator} ${right} ${random.pick(['-', '+'])} ${operand}`,
  'a factor more': ({ left, operator, right, operand }) => `${left} ${operator} ${right} * ${operand}`,
  'one operand twice': ({ operator, operand }) => `${operand} ${operator} ${operand}`,
  'a higher power': ({ left }, random) => `${left} ** ${random.between(3, 5)}`,
}

export const slipNames = Object.keys(slips)

/**
 * Right code with one calculation changed as policies change it that are trained against a judge: operands swapped or doubled, a term or a
 * factor more, a higher power.
 */
export async function drawMiscalculated(
  count: number,
  random: SeededRandom,
  drawTask: () => Task = () => drawTrainingTask(random.weighted(judgeLevels), random),
): Promise<Attempt[]> {
  const found: Attempt[] = []
  while (found.length < count) {
    const task = drawTask()
    const style = random.pick(['narrow', 'any'] as const)
    const code = renderSolution(task, task.meaning, random, { style })
    const tree = await parsePython(code)
    const calculations = tree ? calculationsIn(tree) : []
    if (calculations.length === 0) continue
    const { from, to, children } = random.pick(calculations)
    const [left = '', operator = '', right = ''] = children.map(({ text }) => text)
    const origin = random.pick(slipNames)
    const written = slips[origin]?.({ left, operator, right, operand: random.pick([left, right]) }, random)
    found.push({ code: `${code.slice(0, from)}${written}${code.slice(to)}`, task, origin })
  }
  return found
}

function calculationsIn(node: PythonNode): PythonNode[] {
  const isOne = node.type === 'BinaryExpression' && operators.has(node.children[1]?.text ?? '')
  return [...(isOne ? [node] : []), ...node.children.flatMap(calculationsIn)]
}
