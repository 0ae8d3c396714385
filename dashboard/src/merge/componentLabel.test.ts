import { expect, test } from 'vitest'
import { componentLabel } from './componentLabel.ts'

test('a component reads as words, however its name is spelt', () => {
  expect(componentLabel('predictedCorrectness')).toBe('Predicted correctness')
  expect(componentLabel('ends_inside-limit')).toBe('Ends inside limit')
  expect(componentLabel('parses')).toBe('Parses')
})
