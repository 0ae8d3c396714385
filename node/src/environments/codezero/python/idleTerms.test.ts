import { expect, test } from 'vitest'
import { seededRandom } from '../../seededRandom.ts'
import { drawTrainingTask } from '../curriculum/drawTask.ts'
import { renderSolution } from '../curriculum/renderSolution.ts'
import { styles } from '../curriculum/spelling.ts'
import { levels } from '../curriculum/task.ts'
import { hasIdleTerms } from './idleTerms.ts'
import { parsePython } from './parsePython.ts'
import type { PythonNode } from './pythonNode.ts'

const read = async (code: string) => hasIdleTerms((await parsePython(code)) as PythonNode)

test.each([
  ...['2 - x - 2', 'x - x', '4 + (x - 4)', 's - 0', '-6 + s - -6', 'x * x - x * x', 'x - 6 - 6', 'n + 4 - n'],
  ...['x * 2 + x', 'n * 4 - n', 'x + x + x', '8 - x - x', 'x * y * 7 + 7 * (y * x)', 's * 4 * 4', '3 * (x * 3)'],
  ...['[x + 5 - x for x in xs]', 'max(s, v + v - v)', '(a - b + b) * 3', 't * (3 - i) + t', 's - 7 + s'],
])('%s has terms that it does not need', async code => {
  expect(await read(code)).toBe(true)
  expect(await read(`(${code.replaceAll(' ', ' #\n')})`)).toBe(true)
})

test.each([
  ...['x + x', '(x + x) * 3', '0 - s', '-x + 9', 'x * x * x', 'x * x + x', 'x * 2 * x', 'a * b - 5', '4 - 4', '-2'],
  ...[
    '[0] + ys',
    's + x * 2',
    '-(b - a)',
    'xs[0] + xs[1]',
    'f(x) - f(y)',
    'x ** 2 - x',
    '7 + max([0] + ys)',
    'x % 2 - 1',
  ],
])('%s has not', async code => {
  expect(await read(code)).toBe(false)
  expect(await read(`(${code.replaceAll(' ', ' #\n')})`)).toBe(false)
})

test('no right code of any level and spelling has', async () => {
  const random = seededRandom('idle terms')
  for (const level of levels)
    for (const style of styles)
      for (const naming of ['training', 'unseen'] as const)
        for (let i = 0; i < 40; i++) {
          const task = drawTrainingTask(level, random)
          const code = renderSolution(task, task.meaning, random, { style, naming })
          expect(await read(code), code).toBe(false)
        }
})
