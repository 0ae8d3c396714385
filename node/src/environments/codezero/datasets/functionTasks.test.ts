import { expect, test } from 'vitest'
import { answerCode } from './datasetTask.ts'
import { readAsserts } from './functionTasks.ts'

const code = 'def f(x):\n    return x\n'

test.each([
  [
    'after a block of another language',
    `Install:\n\`\`\`bash\npip install x\n\`\`\`\nThen:\n\`\`\`python\n${code}\`\`\``,
  ],
  ['after an example without a tag', `Given:\n\`\`\`\n1 2 3\n\`\`\`\nCode:\n\`\`\`python\n${code}\`\`\``],
  ['after another function', `\`\`\`python\ndef g(x):\n    return x\n\`\`\`\n\`\`\`\n${code}\`\`\``],
  ['in a list', `- step:\n  \`\`\`python\n  def f(x):\n      return x\n  \`\`\``],
  ['in a block without end', `\`\`\`python\n${code}`],
  ['alone', code],
])('The function of an answer is found %s.', (_, answer) => {
  expect(answerCode(answer, 'f').trim()).toBe(code.trim())
})

test('A program is the first block tagged as Python.', () => {
  expect(answerCode('Input:\n```\n1 2\n```\n```py\nprint(1)\n```\n```python\nprint(2)\n```', null)).toBe('print(1)\n')
})

test.each([
  ['assert area(width=2, height=3) == 6', 'Write area(width, height). Do it.'],
  ['assert f(1, [2, 3], a=4) == 3', 'Write f(b, c, a). Do it.'],
  ['assert f(x for x in [1]) == 1', 'Write f(a). Do it.'],
  ['assert f() == 1', 'Write f(). Do it.'],
])('The parameters that a test gives are asked for: %s', async (asserted, question) => {
  expect(await readAsserts({ text: 'Do it.', tests: [asserted] }, 'row')).toMatchObject({ question })
})

test.each(['assert f(*[1, 2]) == 3', "assert f(**{'a': 1}) == 1"])(
  'A row whose tests do not tell the parameters is refused: %s',
  async asserted => {
    const reason = 'does not tell the parameters of f'
    expect(await readAsserts({ text: 'Do it.', tests: [asserted] }, 'row')).toEqual({ field: 'tests', reason })
  },
)
