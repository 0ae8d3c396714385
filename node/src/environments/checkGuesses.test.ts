import { expect, test } from 'vitest'
import { checkGuesses } from './checkGuesses.ts'
import type { Environment, Judge } from './environment.ts'

type IsRight = (text: string) => boolean

/** Findings of an environment with one held-out task a level, which is checked and scored by two rules. */
function found(checks: IsRight, scores = checks): Promise<string[]> {
  const task = { problem: {}, check: (text: string, ended: boolean) => ended && checks(text) }
  const judge: Judge = {
    score: async answers =>
      answers.map(({ text, ended }) => {
        const score = ended && scores(text) ? 1 : 0
        return { components: {}, score, correctness: score }
      }),
  }
  return checkGuesses({ heldOutTasks: async () => [task] } as unknown as Environment, judge)
}

const strict: IsRight = text => text === '42'
const tagged: IsRight = text => /^[^<]*<answer>42<\/answer>$/.test(text)

test('An answer that is read strictly, or the last of a text, has no fault', async () => {
  expect(await found(strict)).toEqual([])
  expect(await found(tagged)).toEqual([])
  expect(await found(text => text.split(' ').at(-1) === '42')).toEqual([])
})

test.each<[string, IsRight, IsRight]>([
  ['score', strict, text => text.split(' ').includes('42')],
  ['check', text => text.split(' ').includes('42'), strict],
  ['score in tags', tagged, text => text.includes('<answer>42</answer>')],
])('A %s that finds the right answer among wrong ones has one', async (_, checks, scores) => {
  const [finding, ...more] = await found(checks, scores)
  expect(finding).toContain('one right answer among wrong ones, counts as right')
  expect(more).toEqual([])
})
