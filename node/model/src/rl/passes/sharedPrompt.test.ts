import { expect, test } from 'vitest'
import { sharedPromptLength } from './sharedPrompt.ts'

/** A completion after `length` tokens of a prompt, of which the last is what its first token is read off. */
const sequence = (prompt: number, length: number, completion: number) => ({
  tokens: Int32Array.from({ length: length + completion }, (_, i) => (i < length ? prompt : 100 + completion)),
  scored: Int32Array.from({ length: completion }, (_, i) => length + i),
})

test('all of a prompt is shared but the token that the completions begin at', () => {
  expect(sharedPromptLength([sequence(1, 30, 4), sequence(1, 30, 9)])).toBe(29)
  expect(sharedPromptLength([sequence(1, 30, 4), sequence(1, 20, 9)])).toBe(19)
})

test('one sequence, different prompts and a few tokens share nothing', () => {
  expect(sharedPromptLength([sequence(1, 30, 4)])).toBe(0)
  expect(sharedPromptLength([sequence(1, 30, 4), sequence(2, 30, 4)])).toBe(0)
  expect(sharedPromptLength([sequence(1, 9, 4), sequence(1, 9, 4)])).toBe(0)
})
