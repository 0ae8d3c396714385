import { expect, test } from 'vitest'
import { runRules } from './runRules.ts'

test('rules are shown by name, and what is of another form is left out', () => {
  expect(runRules({ name: 'codezero', groupSize: 8, solving: { maxNewTokens: [1] }, judge: null, other: 'x' })).toEqual(
    [
      { title: 'Environment', value: 'codezero' },
      { title: 'Answers to a task', value: '8' },
    ],
  )
  expect([runRules(null), runRules('codezero'), runRules({ toString: 1 })]).toEqual([[], [], []])
})

test('the base models of policies are shown next to the judge: by hash, or any', () => {
  const [one, other] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`]
  const judge = { kind: 'trueFalse', model: 'Qwen/Qwen2.5-Coder-1.5B-Instruct@main', weightsHash: one }
  const training = { learningRate: 1e-6, adapterLearningRate: 2e-4 }
  expect(runRules({ judge, bases: [one, other], training })).toEqual([
    { title: 'Judge', value: 'trueFalse' },
    { title: 'Judge model', value: 'Qwen/Qwen2.5-Coder-1.5B-Instruct@main' },
    { title: 'Judge weights', value: one },
    { title: 'Base models whose LoRA adapters are paid', value: `${one}, ${other}` },
    { title: 'Learning rate of LoRA adapters', value: '0.0002' },
    { title: 'Learning rate of whole weights', value: '0.000001' },
  ])
  const title = 'Base models whose LoRA adapters are paid'
  expect(runRules({ bases: null })).toEqual([{ title, value: 'any' }])
  expect(runRules({ bases: ['0x12'] })).toEqual([])
})

test('an environment of questions names their families and stages', () => {
  expect(runRules({ name: 'reasoning', families: ['sum', 'gcd'], stages: 3 })).toEqual([
    { title: 'Environment', value: 'reasoning' },
    { title: 'Families of questions', value: 'sum, gcd' },
    { title: 'Stages of a question', value: '3' },
  ])
  expect(runRules({ families: [], stages: {} })).toEqual([])
})
