import { expect, test } from 'vitest'
import { compareScores } from './compareScores.ts'

const leaf = (index: number, components: Record<string, number>) => ({ index, components, scoreMilli: 0 })

test('the leaf and the component that differ most are named, with what was expected and found', () => {
  const expected = [leaf(3, { code: 1000, correctness: 400 }), leaf(9, { code: 1000, correctness: 500 })]
  const near = [leaf(3, { code: 1000, correctness: 380 }), leaf(9, { code: 1000, correctness: 900 })]
  expect(compareScores(near, expected)).toEqual({
    leaf: 9,
    component: 'correctness',
    expectedMilli: 500,
    foundMilli: 900,
  })
  expect(compareScores(expected, expected)).toBeNull()
  // A penalty that one of the two does not know, and a leaf that was left out.
  expect(
    compareScores([leaf(3, { code: 1000, correctness: 400, penalty: -900 }), expected[1] ?? leaf(9, {})], expected),
  ).toEqual({ leaf: 3, component: 'penalty', expectedMilli: 0, foundMilli: -900 })
  expect(compareScores([leaf(3, { code: 1000, correctness: 400 })], expected)).toMatchObject({
    leaf: 9,
    foundMilli: null,
  })
})
