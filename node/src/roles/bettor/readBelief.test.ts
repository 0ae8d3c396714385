import { expect, test } from 'vitest'
import type { Games } from '#environments/games.ts'
import { createBeliever } from './readBelief.ts'

/** Questions whose right choice is the first, and a policy that finds the last one of three likelier. */
function scene(rightShare: number) {
  let number = 0
  const games: Games = {
    draw: () => ({
      ...{ question: 'Which?', choices: ['a', 'b'], clues: ['one', 'two'] },
      answer: number++ < 24 * rightShare ? 0 : 1,
    }),
    sequences: async ({ choices }, clues) =>
      clues.length > 2 ? null : choices.map(() => ({ tokens: Int32Array.of(0, 1, 2), from: 1 })),
  }
  const policy = { logprobs: async () => [Float32Array.of(-1, -1), Float32Array.of(-2, -2)] }
  return createBeliever(games, policy)
}

const asked = { question: 'Which?', choices: ['a', 'b'] }

test('a policy that is right in three of four is believed in three of four, and one that guesses is not believed', async () => {
  // Its own word is 0.88: two log-probabilities of -1 against two of -2.
  expect((await scene(0.75)(asked, ['one']))?.[0]).toBeCloseTo(0.75, 1)
  expect((await scene(0.5)(asked, ['one']))?.[0]).toBeCloseTo(0.5, 1)
})

test('a question that is not of the environment gives no belief', async () => {
  expect(await scene(1)(asked, ['one', 'two', 'three'])).toBeNull()
})

test('a policy scores a question once for the same clues, and none whose clues are longer than any that is drawn', async () => {
  let scored = 0
  const games: Games = {
    draw: () => ({ question: 'Which?', choices: ['a', 'b'], clues: ['one'], answer: 0 }),
    sequences: async () => [{ tokens: Int32Array.of(0, 1), from: 1 }],
  }
  const believe = createBeliever(games, {
    logprobs: async () => {
      scored++
      return [Float32Array.of(-1), Float32Array.of(-2)]
    },
  })
  await believe(asked, ['one'])
  const once = scored
  await believe(asked, ['one'])
  expect(scored).toBe(once)
  expect(await believe(asked, ['x'.repeat(4_096), 'x'])).toBeNull()
  expect(scored).toBe(once)
})
