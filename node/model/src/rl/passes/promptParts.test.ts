import { expect, test } from 'vitest'
import { promptParts } from './promptParts.ts'
import { promptTree } from './promptTree.ts'

/**
 * A completion after a prompt: tokens that all begin with, and what this prompt adds. The prompt's last token is what the first token of
 * the completion is read off.
 */
const sequence = ({ beginning = 0, prompt = 1, added = 30, completion = 4 }) => {
  const length = beginning + added
  const tokens = Int32Array.from({ length: length + completion }, (_, i) =>
    i < beginning ? 7 : i < length ? 10 + prompt : 100 + completion,
  )
  return { tokens, scored: Int32Array.from({ length: completion }, (_, i) => length + i) }
}

const limits = { sequences: 4, rows: 768 }
const apart = { sequences: 4, rows: 0 }

test('completions of one prompt are together, as equal as can be; the others go by length', () => {
  const batch = [
    ...[1, 2, 1, 1, 2, 1, 1].map(prompt => sequence({ prompt })),
    ...[9, 3, 8, 2].map(completion => sequence({ prompt: completion, added: 10, completion })),
  ]
  expect(promptParts(batch, apart)).toEqual([
    [0, 2],
    [3, 5, 6],
    [1, 4],
    [10, 8, 9, 7],
  ])
  const parts = promptParts(batch, { ...apart, sequences: 2 })
  expect(parts.flat().sort((a, b) => a - b)).toEqual(batch.map((_, i) => i))
})

const groupsOf = (count: number, each: Parameters<typeof sequence>[0]) =>
  Array.from({ length: count }, (_, prompt) => [0, 1].map(() => sequence({ ...each, prompt }))).flat()

test('prompts that begin alike are in one part, up to a number of rows', () => {
  const batch = groupsOf(9, { beginning: 120, completion: 5 })
  // 119 + 1 rows at the beginning, 29 of each prompt, 5 of each of its completions.
  expect(promptTree(batch.slice(0, 4))).toMatchObject({ beginning: 120, prompt: 29, own: 5, prompts: [149, 149] })
  expect(promptParts(batch, limits).map(part => part.length)).toEqual([18])
  expect(promptParts(batch, { ...limits, rows: 400 }).map(part => part.length)).toEqual([14, 4])
})

test('completions of like lengths are together, so that few rows are empty', () => {
  const batch = [300, 4, 290, 5].flatMap((completion, prompt) =>
    [0, 1].map(() => sequence({ beginning: 100, prompt, completion })),
  )
  expect(promptParts(batch, { sequences: 4, rows: 1400 })).toEqual([
    [2, 3, 6, 7],
    [4, 5, 0, 1],
  ])
})

test('prompts are apart where rows would be more together', () => {
  const batch = [200, 40].flatMap((added, prompt) =>
    [0, 1].map(() => sequence({ beginning: 10, added, prompt, completion: 60 })),
  )
  expect(promptParts(batch, limits)).toEqual([
    [0, 1],
    [2, 3],
  ])
})

test('a tree has as many rows as its sequences need, and at least 256', () => {
  const batch = [20, 24].flatMap((added, prompt) => [0, 1, 2].map(() => sequence({ beginning: 100, added, prompt })))
  const tree = promptTree(batch)
  expect(tree).toMatchObject({ prompts: [119, 123], beginning: 100, prompt: 23, own: 4, sequences: 14 })
  expect(tree?.rows).toBe(100 + 2 * 23 + 2 * 14 * 4)
  expect(promptTree(batch.slice(0, 1))).toBeNull()
})
