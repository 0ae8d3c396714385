import { afterEach, expect, test, vi } from 'vitest'
import { inWords, showResult } from './showResult.ts'

afterEach(() => vi.restoreAllMocks())

test('a result reaches the terminal without control sequences, and a program whole', () => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation(line => void lines.push(line))
  const result = { text: 'a\u009b2J\u001b[2J\u202eb', '\u202ekey': '\u2066' }
  showResult(result, true)
  showResult(result, false)
  expect(lines.join('\n')).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  expect(JSON.parse(lines[0] ?? '')).toEqual(result)
})

test('Figures of a round are a line of words.', () => {
  const report = { tasks: 24, meanReward: 0.375_21, averageAtK: 1, refused: {}, counts: { ownGroups: 2 }, level: null }
  expect(inWords(report)).toBe(
    'tasks 24, mean reward 0.375, average at k 1, refused none, counts (own groups 2), level null',
  )
})
