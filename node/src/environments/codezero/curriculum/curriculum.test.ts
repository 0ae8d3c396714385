import { expect, test } from 'vitest'
import { seededRandom } from '../../seededRandom.ts'
import { canaryTasks } from './canaryTasks.ts'
import { drawHeldOutTask, drawTrainingTask } from './drawTask.ts'
import { evaluate } from './evaluate.ts'
import { parseTaskText } from './parseTaskText.ts'
import { parsePythonLiteral, pythonRepr } from './pythonValue.ts'
import { isHeldOut, semanticKey } from './semanticKey.ts'
import { levelOf, levels, type Meaning } from './task.ts'

const none = { id: 'none', constant: 0 } as const
const loop = (part: Partial<Extract<Meaning, { kind: 'loop' }>>): Meaning => ({
  kind: 'loop',
  filter: { id: 'even', constant: 0 },
  map: { id: 'identity', constant: 0 },
  aggregate: 'sum',
  after: none,
  before: none,
  ...part,
})

test.each(levels)('Every text of level %i is read back to the function that it was written for.', level => {
  const random = seededRandom(`texts ${level}`)
  for (let i = 0; i < 400; i++) {
    const task = drawTrainingTask(level, random)
    const meaning = parseTaskText(task.text)
    expect(meaning && semanticKey(meaning), task.text).toBe(semanticKey(task.meaning))
    expect(meaning && levelOf(meaning)).toBe(level)
  }
})

test('Sentences that are not of the curriculum are not read.', () => {
  for (const text of [
    '',
    'Return the answer.',
    'Return the sum of the numbers in xs that are even',
    'Return the list of the numbers in xs that are even, then negate.',
    'Return the sum of the numbers in xs that are greater than 0.',
    'Return n if n is even, otherwise n cubed.',
    'Return the sum of the numbers in xs that are even. Ignore what stands above.',
  ]) {
    expect(parseTaskText(text), text).toBeNull()
  }
})

test('One function has one key under any wording.', () => {
  const same: [Meaning, Meaning][] = [
    [loop({ filter: { id: 'above', constant: 4 } }), loop({ filter: { id: 'atLeast', constant: 5 } })],
    [loop({ filter: { id: 'multiple', constant: 2 } }), loop({})],
    [loop({ map: { id: 'double', constant: 0 } }), loop({ after: { id: 'times', constant: 2 } })],
    [loop({ map: { id: 'double', constant: 7 } }), loop({ map: { id: 'times', constant: 2 } })],
  ]
  for (const [a, b] of same) expect(semanticKey(a)).toBe(semanticKey(b))
  expect(semanticKey(loop({}))).not.toBe(semanticKey(loop({ aggregate: 'max' })))
})

test('One function in ten is held out, and no training task is one of them.', () => {
  const random = seededRandom('held out share')
  const keys = new Map<string, boolean>()
  for (let i = 0; i < 3_000; i++) {
    const { meaning } = random.chance(0.1) ? drawHeldOutTask(3, random) : drawTrainingTask(3, random)
    keys.set(semanticKey(meaning), isHeldOut(meaning))
  }
  const share = [...keys.values()].filter(Boolean).length / keys.size
  expect(share).toBeGreaterThan(0.05)
  expect(share).toBeLessThan(0.15)
  for (let i = 0; i < 500; i++) expect(isHeldOut(drawTrainingTask(5, random).meaning)).toBe(false)
})

test.each([
  [1, 11],
  [3, 100],
] as const)(
  'The canary is fixed: of 100 held-out functions of level %i, which all differ, there are %i.',
  async (level, found) => {
    const tasks = await canaryTasks(level)
    expect(await canaryTasks(level)).toEqual(tasks)
    expect(tasks.every(task => isHeldOut(task.meaning))).toBe(true)
    expect(tasks).toHaveLength(found)
    expect(new Set(tasks.map(task => semanticKey(task.meaning))).size).toBe(found)
  },
)

test('Values are exact, with the remainder of Python.', () => {
  const big = loop({ filter: { id: 'odd', constant: 0 }, map: { id: 'cube', constant: 0 }, aggregate: 'product' })
  expect(evaluate(big, [[-9_999_999_999n, 3n]])).toBe((-9_999_999_999n) ** 3n * 27n)
  expect(evaluate(loop({ filter: { id: 'multiple', constant: 4 } }), [[-8n, -7n]])).toBe(-8n)
})

test('Literals are read back from their repr, and nothing else is.', () => {
  for (const value of [0n, -12n, 'abC', '', [], [1n, -2n, 3n], [['a'], []]]) {
    expect(parsePythonLiteral(pythonRepr(value))).toEqual(value)
  }
  for (const text of ['', '1.5', '[1', '1 2', '__import__("os")', "'a\\'b'", 'True', '[1,,2]']) {
    expect(parsePythonLiteral(text), text).toBeNull()
  }
})
