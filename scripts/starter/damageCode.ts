import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { renderSolution } from '../../node/src/environments/codezero/curriculum/renderSolution.ts'
import type { Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import { parsePython } from '../../node/src/environments/codezero/python/parsePython.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import type { Attempt } from './execute.ts'
import { judgeLevels } from './levelMix.ts'

const replacements = '>=,<=,>,<,==,!=,+,-,*,%,+=,*=,-=, 0, 1, 2, 5, 8,p,q,xs,not ,append,max,min,sum,len'.split(',')

/** Right code with a token replaced or doubled, or a line doubled or dropped, that is still valid Python. */
export async function drawDamaged(
  count: number,
  random: SeededRandom,
  drawTask: () => Task = () => drawTrainingTask(random.weighted(judgeLevels), random),
): Promise<Attempt[]> {
  const found: Attempt[] = []
  while (found.length < count) {
    const task = drawTask()
    const style = random.pick(['narrow', 'any'] as const)
    const [head, ...lines] = renderSolution(task, task.meaning, random, { style }).split('\n')
    const code = `${head}\n${damaged(lines.join('\n'), random)}`
    if (await parsePython(code)) found.push({ code, task, origin: 'damaged' })
  }
  return found
}

function damaged(body: string, random: SeededRandom): string {
  const pieces = body.split(/(\*\*|[<>=!+*-]=|[<>+*%-]|\b\w+\b)/)
  const tokens = pieces.flatMap((_, i) => (i % 2 ? [i] : []))
  const at = random.pick(tokens)
  const change = random.weighted([
    ['replace', 0.6],
    ['double', 0.2],
    ['line', 0.2],
  ] as const)
  if (change === 'line') return damagedLines(body, random)
  const tokenAt = (i: number) => pieces[i] ?? ''
  pieces[at] =
    change === 'replace'
      ? random.pick([...replacements, ...tokens.map(tokenAt)])
      : `${tokenAt(at)} ${random.pick(['*', '+', '-'])} ${tokenAt(at)}`
  return pieces.join('')
}

function damagedLines(body: string, random: SeededRandom): string {
  const lines = body.split('\n')
  const at = random.between(0, Math.max(0, lines.length - 3))
  if (random.chance(0.5)) lines.splice(at, 0, random.pick(lines.slice(0, Math.max(1, lines.length - 1))))
  else lines.splice(at, 1)
  return lines.join('\n')
}
