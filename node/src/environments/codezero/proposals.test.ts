import { expect, test } from 'vitest'
import { seededRandom } from '../seededRandom.ts'
import { canonicalCode } from './canonical/canonicalCode.ts'
import { knownFunctions } from './canonical/curriculumForms.ts'
import { canaryTasks, canaryTests } from './curriculum/canaryTasks.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { parseTaskText } from './curriculum/parseTaskText.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import { levels, type Problem } from './curriculum/task.ts'
import { admitProblem, formatProposal, mayTrainOn, parseProposal } from './parseProposal.ts'
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
    for (const task of await canaryTasks(level, 40))
      expect(admitProblem(task, 'wellFormed'), task.text).toBe('held out')
  }
  expect(admitProblem({ ...problem, text: 'Sum the even numbers.' }, 'understood')).toBe('not understood')
  expect(admitProblem({ ...problem, parameters: ['ys'] }, 'understood')).toBe('wrong parameters')
  expect(admitProblem(problem, 'understood')).toMatchObject({ level: 3, text: problem.text })
})

test.each(levels)('Tasks that the curriculum draws at level %i are admitted under both rules.', level => {
  const random = seededRandom(`admitted ${level}`)
  for (let i = 0; i < 300; i++) {
    const task = drawTrainingTask(level, random)
    for (const rule of ['understood', 'wellFormed'] as const)
      expect(admitProblem(task, rule), task.text).toMatchObject({ level })
  }
})

test.each([
  ['Return the sum of a and b, then add 10.', ['a', 'b']],
  ['Return a minus b, then multiply by 1.', ['a', 'b']],
  ['Return the first 6 letters of s.', ['s']],
  ['Return n plus 2 if n is at least 1, otherwise n.', ['n']],
  ['Return the sum of the numbers in xs that are even, each plus 12.', ['xs']],
  ['Return the number of the numbers in xs that are even, each doubled.', ['xs']],
  ['return the sum of the numbers in xs that are even.', ['xs']],
  ['Skip the first 2 of xs and Return the sum of the numbers in xs that are even, then negate.', ['xs']],
])('No answer to a text that the curriculum does not write could be right by its judge: %s', (text, parameters) => {
  const asked = { name: 'f', parameters, text }
  expect(admitProblem(asked, 'understood')).toBe('not of the curriculum')
  expect(admitProblem(asked, 'wellFormed')).toHaveProperty('meaning')
  expect(mayTrainOn(asked, 'understood')).toBe(false)
})

test.each([...knownFunctions])('A task cannot be named %s: a solution that calls it would call itself.', name => {
  const text = 'Return the list of the numbers in xs that are even, in sorted order.'
  expect(admitProblem({ ...problem, text, name }, 'understood')).toBe('not of the curriculum')
  expect(admitProblem({ ...problem, text, name }, 'wellFormed')).toMatchObject({ level: 4 })
  expect(admitProblem({ ...problem, text, name: 'calc' }, 'understood')).toMatchObject({ level: 4 })
})

test.each(levels)('Code that the judge reads answers each admitted text of level %i.', async level => {
  const random = seededRandom(`judged ${level}`)
  const number = () => random.between(1, 99)
  let admitted = 0
  for (let i = 0; i < 150; i++) {
    const task = drawTrainingTask(level, random)
    const changed = random.chance(0.5) ? task.text : task.text.replace(/\d/, () => String(number()))
    const read = admitProblem({ ...task, text: changed }, 'understood')
    if (typeof read === 'string') continue
    admitted++
    expect(await canonicalCode(renderSolution(read, read.meaning, random), read), changed).not.toBeNull()
  }
  expect(admitted).toBeGreaterThan(75)
})

test('No part of a list is admitted that makes a held-out function of all lists it is tested with.', async () => {
  const tasks = await canaryTasks(3)
  let admitted = 0
  for (const [at, task] of tasks.entries()) {
    const given = canaryTests(task, 3, at)
    for (const constant of [2, 3, 4, 5, 6, 7, 8, 9, 20]) {
      const text = `Using only the first ${constant} of xs, r${task.text.slice(1)}`
      const twin = admitProblem({ ...task, text }, 'understood')
      if (typeof twin === 'string') continue
      admitted++
      expect(canaryTests({ ...task, meaning: twin.meaning }, 3, at), text).not.toEqual(given)
    }
  }
  expect(admitted).toBeGreaterThan(tasks.length)
})

test("A proposal's expected values are checked against its text.", async () => {
  const meaning = parseTaskText(problem.text)
  if (!meaning) throw new Error('the text is of the curriculum')
  const tests = ['assert calc([1, 2]) == 2', 'assert calc([1, 2]) == 3', "assert calc('ab') == 0"]
  expect(await countRightTests({ problem, tests }, meaning)).toBe(1)
})

test('A test whose literal is not read is neither right nor wrong, and letters are counted as in Python.', async () => {
  const rightness = async (asked: Problem, tests: readonly string[]) =>
    (await proposedTests(formatProposal({ problem: asked, tests }))).map(({ isRight }) => isRight)
  const lists = ['[ 1, 2]', '[2,]', '[+2]', '[4]'].map(given => `assert calc(${given}) == 2`)
  expect(await rightness(problem, lists)).toEqual([null, null, null, false])
  const letters = { name: 'f', parameters: ['s'], text: 'Return the first 2 letters of s.' }
  const tests = ["assert f('🐝ab') == '🐝a'", "assert f('🐝🐝b') == '🐝'", "assert f('a\\tb') == 'a\\t'"]
  expect(await rightness(letters, tests)).toEqual([true, false, null])
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
