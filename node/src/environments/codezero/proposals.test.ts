import { expect, test } from 'vitest'
import { canaryTasks } from './curriculum/canaryTasks.ts'
import { parseTaskText } from './curriculum/parseTaskText.ts'
import type { Problem } from './curriculum/task.ts'
import { admitProblem, formatProposal, parseProposal } from './parseProposal.ts'
import { countRightTests, proposedTests } from './proposedTests.ts'
import { nearestTask, sameTask } from './sameTask.ts'

const problem: Problem = {
  name: 'calc',
  parameters: ['xs'],
  text: 'Return the sum of the numbers in xs that are even.',
}

test('A proposal is read back from its text.', async () => {
  const proposal = { problem, tests: ['assert calc([1, 2]) == 2', 'assert calc([]) == 0'] }
  expect(await parseProposal(formatProposal(proposal))).toEqual(proposal)
})

test('Tests of one call that may expect the same are a proposal.', async () => {
  for (const other of ['2', '2.0', 'True'])
    expect(await parseProposal(`Write f(a). Return a.\nassert f(1) == 2\nassert f(1) == ${other}`)).toHaveProperty(
      'tests',
    )
})

test('A keyword of Python is refused as a name, unless it is a name elsewhere in Python.', async () => {
  for (const word of ['class', 'None', 'lambda'])
    for (const header of [`f(${word})`, `f(a, ${word})`, `${word}(a)`])
      expect(await parseProposal(`Write ${header}. Do it.\nassert f(1) == 1`), header).toBe('no header')
  for (const word of ['match', 'case', 'type', '_', 'classes'])
    expect(await parseProposal(`Write ${word}(a, ${word}). Do it.\nassert ${word}(1, 2) == 1`)).toHaveProperty('tests')
})

test.each([
  ['no header', 'Return the sum.\nassert f(1) == 1'],
  ['no header', 'Write f(a, a). Return a.\nassert f(1, 2) == 1'],
  ['text too long', `Write f(a). ${'x'.repeat(2001)}\nassert f(1) == 1`],
  ['no tests', 'Write f(a). Return a.'],
  ['too many tests', `Write f(a). Return a.${'\nassert f(1) == 1'.repeat(5)}`],
  ['test malformed', 'Write f(a). Return a.\nassert g(1) == 1'],
  ['test malformed', 'Write f(a). Return a.\nassert f(1, 2) == 1'],
  ['test malformed', 'Write f(a). Return a.\nassert f(open("x")) == 1'],
  ['test malformed', 'Write f(a). Return a.\nassert f(1) == 1 or True'],
  ['test malformed', 'Write f(a). Return a.\nassert f(1) == 1; import os'],
  ['test malformed', 'Write f(a). Return a.\nassert f(1) == 1, "no"'],
  ['test malformed', 'Write f(a). Return a.\nassert f(1) == 1\n'],
  ['tests contradict each other', 'Write f(a). Return a.\nassert f([1,"b"]) == 1\nassert f([1, \'b\']) == 2'],
] as const)('No proposal: %s.', async (fault, text) => {
  expect(await parseProposal(text)).toBe(fault)
})

test('Numbers with a sign or an exponent are plain values.', async () => {
  const text = 'Write f(a). Return a.\nassert f(-1.5e-10) == -.5\nassert f([-1_000, +1]) == -1j'
  expect(await parseProposal(text)).toHaveProperty('tests')
  for (const value of ['~1', '--1', '-True', '-x'])
    expect(await parseProposal(`Write f(a). Return a.\nassert f(${value}) == 1`)).toBe('test malformed')
})

test('A comment after a test is not run with it.', async () => {
  const told = await proposedTests('Write f(a). Return twice a.\nassert f(2) == 4  # small')
  expect(told).toMatchObject([{ source: 'assert f(2) == 4  # small', expression: 'not (f(2) == 4)' }])
})

test('Held-out functions are refused as tasks, and so is what is not understood.', async () => {
  for (const level of [1, 2, 3, 4, 5] as const) {
    for (const task of await canaryTasks(level, 40)) expect(admitProblem(task), task.text).toBe('held out')
  }
  expect(admitProblem({ ...problem, text: 'Sum the even numbers.' })).toBe('not understood')
  expect(admitProblem({ ...problem, parameters: ['ys'] })).toBe('wrong parameters')
  expect(admitProblem(problem)).toMatchObject({ level: 3, text: problem.text })
})

test("A proposal's expected values are checked against its text.", async () => {
  const meaning = parseTaskText(problem.text)
  if (!meaning) throw new Error('the text is of the curriculum')
  const tests = ['assert calc([1, 2]) == 2', 'assert calc([1, 2]) == 3', "assert calc('ab') == 0"]
  expect(await countRightTests({ problem, tests }, meaning)).toBe(1)
})

test('Proposals that ask for the same in other words, or with other names, are one.', () => {
  const key = (text: string, name = 'f', parameters = ['xs']) => sameTask({ name, parameters, text })
  expect(key('Return the sum of the numbers in xs that are even.')).toBe(
    key('Return the total of the numbers in xs that are even.', 'calc'),
  )
  expect(key('Return the sum of the numbers in xs that are even.')).not.toBe(
    key('Return the sum of the numbers in xs that are odd.'),
  )
  const unread = 'Given a list of words, return the longest word in items.'
  expect(key(unread, 'f', ['items'])).toBe(key('Given the LIST of words: compute the longest words in xs', 'g', ['xs']))
  expect(key(unread, 'f', ['items'])).not.toBe(key(unread.replace('longest', 'shortest'), 'f', ['items']))
})

test.each([
  ['Subtract a from b twice, then double it.', 'Subtract b from a twice, then double it.'],
  ['Append the first word of b to a.', 'Append the first word of a to b.'],
  ['Return -1 if a is a prefix of b.', 'Return 1 if a is a prefix of b.'],
  ['Return the digits of a + b.', 'Return the digits of a - b.'],
  ['Return a & b.', 'Return a | b.'],
  ['Return whether a != b.', 'Return whether a = b.'],
  ['Return the digits of (a + b) * 2.', 'Return the digits of a + b * 2.'],
  ["Count how often '!' follows a in b.", "Count how often '?' follows a in b."],
])('Texts outside of the curriculum with other order or signs are other tasks: %s', (one, other) => {
  const key = (text: string, parameters = ['a', 'b']) => sameTask({ name: 'f', parameters, text })
  expect(key(one)).not.toBe(key(other))
})

test('No text takes long to compare: brackets around signs without end are read once.', () => {
  const started = performance.now()
  for (const text of [`(${'+'.repeat(64_000)}`, `${'+'.repeat(64_000)})`, `(${' - '.repeat(20_000)}`])
    sameTask({ name: 'f', parameters: ['a'], text })
  // Four seconds and more, if each sign began another attempt.
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('Names of parameters, case, stop words and punctuation make no other task.', () => {
  const key = (text: string, parameters = ['a', 'b']) => sameTask({ name: 'f', parameters, text })
  const text = 'Subtract a from b twice, then double it.'
  expect(key('Subtract x from y twice, then double it.', ['x', 'y'])).toBe(key(text))
  expect(key('subtract the given A from B twice; then (double) it')).toBe(key(text))
})

test('Characters that a version of Unicode does not know, or cannot lower, make another task.', () => {
  const key = (text: string) => sameTask({ name: 'f', parameters: ['a'], text: `Drop each ${text} from a.` })
  // Not assigned, and a letter of Unicode 17 with its small one.
  expect(key('\u{378}')).not.toBe(key('\u{379}'))
  expect(key('\u{16ea0}')).not.toBe(key('\u{16ebb}'))
  expect(key('\u{201c}Word\u{201d} \u{2014} or line')).toBe(key('words, or LINES'))
})

test('Texts that are only known by their words are nearly the same where nearly all of them are, and the numbers', () => {
  const key = (text: string) => sameTask({ name: 'f', parameters: ['items'], text })
  const text =
    'Sort the words in items by how many vowels each has, ignoring case and punctuation, and drop the first 3 of them.'
  const near = (other: string) => nearestTask(key(text), new Map([[key(other), 0]])) !== null
  expect(near(text.replace('drop', 'remove'))).toBe(true)
  expect(near(text.replace('Sort the words', 'Order all words'))).toBe(true)
  expect(near(text.replace('3', '4'))).toBe(false)
  expect(near('Count the vowels of all words in items.')).toBe(false)
  expect(near('Return the total of the numbers in xs that are even.')).toBe(false)
  expect(near(`${text} ${text}`)).toBe(true)
  expect(near(`${text} Then sort, filter, reverse, join, split and count them again.`)).toBe(false)
})
