import { expect, test } from 'vitest'
import { ModelFileError } from '#model/modelErrors.ts'
import { createTaskPrompts } from './taskPrompts.ts'

/** One token a character; `slow` is not split in time, and `broken` breaks the template. */
const tokenizer = {
  chatPrompt([, { content }]: readonly { content: string }[] & { 1: { content: string } }) {
    if (content === 'slow') throw new ModelFileError('tokenizer.json', 'pre_tokenizer', 'does not split a text')
    if (content === 'broken') throw new ModelFileError('chat_template.jinja', 'chat_template', 'failed')
    return new Int32Array(content.length)
  },
}
const promptsOf = () => createTaskPrompts(tokenizer as never, 8)
const task = (question: string, place: string) => ({ task: { question, system: 's' } as never, place, number: 0 })

test('Tasks that the model cannot be asked are counted by reason, with the place of the first.', () => {
  const prompts = promptsOf()
  const questions = ['x', 'y'.repeat(8), 'slow', 'z'.repeat(9), 'y'.repeat(7)]
  const lengths = questions.map((question, row) => prompts.promptOf(task(question, `a:b.jsonl:${row}`))?.length ?? null)
  expect(lengths).toEqual([1, null, null, null, 7])
  expect(prompts.refusals()).toEqual([
    {
      reason: "its prompt does not fit the model's 8 positions; counts as unsolved",
      ...{ rows: 2, file: 'a:b.jsonl', row: 1 },
    },
    {
      reason: "its prompt cannot be encoded: the tokenizer's pre_tokenizer does not split a text; counts as unsolved",
      ...{ rows: 1, file: 'a:b.jsonl', row: 2 },
    },
  ])
})

test('A held-out task is named by its name.', () => {
  const prompts = promptsOf()
  prompts.promptOf(task('slow', 'sum-3'))
  expect(prompts.refusals()).toMatchObject([{ file: 'sum-3', row: 0 }])
})

test('A template that fails ends the evaluation: it would fail for every task.', () => {
  expect(() => promptsOf().promptOf(task('broken', 'a:0'))).toThrow(ModelFileError)
})
