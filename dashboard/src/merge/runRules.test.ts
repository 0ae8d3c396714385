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
