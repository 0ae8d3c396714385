import { afterAll, expect, test } from 'vitest'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { flawedSolution } from '../../node/src/environments/codezero/curriculum/flawedSolution.ts'
import { renderSolution } from '../../node/src/environments/codezero/curriculum/renderSolution.ts'
import { isHeldOut } from '../../node/src/environments/codezero/curriculum/semanticKey.ts'
import { styles } from '../../node/src/environments/codezero/curriculum/spelling.ts'
import { levels, type Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import { parsePython } from '../../node/src/environments/codezero/python/parsePython.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { createSandbox } from '../../node/src/sandbox/createSandbox.ts'
import { drawCandidates } from './candidates.ts'
import { drawDamaged } from './damageCode.ts'
import { execute, relabelled } from './execute.ts'
import { drawMiscalculated, slipNames } from './miscalculate.ts'

const sandbox = createSandbox()
afterAll(() => sandbox.close())

test('Every spelling of every level returns what the problem asks for.', async () => {
  const random = seededRandom('spellings')
  const attempts = levels.flatMap(level =>
    styles.flatMap(style =>
      (['training', 'unseen'] as const).flatMap(naming =>
        Array.from({ length: 8 }, () => {
          const task = drawTrainingTask(level, random)
          return { task, code: renderSolution(task, task.meaning, random, { style, naming }), origin: style }
        }),
      ),
    ),
  )
  const executed = await execute(sandbox, attempts, random)
  expect(executed.filter(({ isRight }) => !isRight).map(({ code, task }) => `${task.text}\n${code}`)).toEqual([])
})

test('About half of the flawed corpus is right at level 3.', async () => {
  const random = seededRandom('flawed')
  const attempts = Array.from({ length: 200 }, () => {
    const task = drawTrainingTask(3, random)
    return { task, code: flawedSolution(task, random), origin: 'flawed' }
  })
  const right = (await execute(sandbox, attempts, random)).filter(({ isRight }) => isRight).length
  expect(right).toBeGreaterThan(60)
  expect(right).toBeLessThan(140)
})

test('Wrong code gets the text of what it computes, unless that is held out.', async () => {
  const random = seededRandom('relabel')
  const task: Task = {
    ...{ name: 'f', parameters: ['xs'], level: 3, text: 'Return the sum of the numbers in xs that are positive.' },
    meaning: {
      kind: 'loop',
      filter: { id: 'positive', constant: 0 },
      map: { id: 'identity', constant: 0 },
      aggregate: 'sum',
      after: { id: 'none', constant: 0 },
      before: { id: 'none', constant: 0 },
    },
  }
  const code = 'def f(xs):\n    s = 0\n    for x in xs:\n        if x > 0:\n            s += 1\n    return s\n'
  const [found] = await execute(sandbox, [{ task, code, origin: 'test' }], random)
  expect(found?.isRight).toBe(false)
  const corrected = found && relabelled(found, random)
  if (corrected === null) return // the count of positive numbers is a held-out function: nothing to learn from it
  expect(corrected?.task.text).toMatch(/number of|count of/)
  expect(corrected?.isRight).toBe(true)
})

test('A difference of the wrong order gets the text of what it computes, and a sum of other terms none.', async () => {
  const random = seededRandom('order')
  const meaning = { kind: 'arithmetic', operation: 'subtract', after: { id: 'add', constant: 5 } } as const
  const task: Task = {
    name: 'f',
    parameters: ['a', 'b'],
    level: 1,
    text: 'Return b subtracted from a, then add 5.',
    meaning,
  }
  const codes = ['b - a + 5', 'a - b - 5', 'a * b + 5', 'b - a + 5 + 5'].map(
    value => `def f(a, b):\n    return ${value}\n`,
  )
  const attempts = codes.map(code => ({ task, code, origin: 'test' }))
  const found = (await execute(sandbox, attempts, random)).map(attempt => relabelled(attempt, random)?.task)
  expect(found[0]?.meaning).toMatchObject({ operation: 'subtractFrom', after: { id: 'add', constant: 5 } })
  expect(found[1]?.text).toMatch(/^Return (a minus b|b subtracted from a), then subtract 5\.$/)
  expect(found[2]?.text).toMatch(/product|times/)
  expect(found[3]).toBe(task)
})

test('No example that the judge learns from is a held-out function.', async () => {
  const random = seededRandom('judge corpus')
  const attempts = drawCandidates(150, random, { mix: [['structural', 1]] })
  const executed = (await execute(sandbox, attempts, random)).map(attempt => relabelled(attempt, random))
  for (const found of executed) if (found) expect(isHeldOut(found.task.meaning)).toBe(false)
})

test('Damaged code is valid Python by our parser whenever CPython compiles it.', async () => {
  const random = seededRandom('damage')
  const attempts = await drawDamaged(150, random)
  for (const { code } of attempts) expect(await parsePython(code)).not.toBeNull()
  const compiled = await sandbox.runTests(attempts.map(({ code }) => ({ code, tests: [] })))
  const refused = compiled.filter(verdict => verdict !== 'pass').length
  expect(refused / compiled.length).toBeLessThan(0.2)
})

test('Miscalculated code is Python of every kind of slip, and mostly wrong; whose meaning another text says gets that text.', async () => {
  const random = seededRandom('miscalculated')
  const attempts = await drawMiscalculated(200, random)
  expect([...new Set(attempts.map(({ origin }) => origin))].sort()).toEqual([...slipNames].sort())
  expect(await Promise.all(attempts.map(({ code }) => parsePython(code)))).not.toContain(null)
  const executed = await execute(sandbox, attempts, random)
  const wrong = executed.filter(({ isRight }) => !isRight)
  expect(wrong.length).toBeGreaterThan(140)
  const found = wrong.map(attempt => relabelled(attempt, random)).filter(attempt => attempt !== null)
  const deserved = found.filter(({ isRight }) => isRight)
  expect(deserved.length).toBeGreaterThan(20)
  for (const { task } of deserved) expect(isHeldOut(task.meaning)).toBe(false)
})
