import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { DatasetTask } from '#environments/builtIn.ts'
import { createSandbox } from '#sandbox/createSandbox.ts'
import { openDatasetTasks, type PlacedTask, type Refusal } from './datasetTasks.ts'
import { evaluateTasks, figuresOf, type NumberedTask } from './evaluateTasks.ts'
import { checkWritable, openOutcomes } from './keptOutcomes.ts'

const golden = join(import.meta.dirname, '..', '..', 'hub', 'datasets', 'golden')
const scratch = await mkdtemp(join(tmpdir(), 'waggle-tasks-'))
const sandbox = createSandbox({ caseTimeoutMs: 5_000 })
afterAll(async () => {
  await sandbox.close()
  await rm(scratch, { recursive: true })
})

let files = 0
async function written(...rows: unknown[]): Promise<string> {
  const path = join(scratch, `${files++}.jsonl`)
  await writeFile(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return path
}

async function read(path: string, seed: string | null = null): Promise<{ placed: PlacedTask[]; refusals: Refusal[] }> {
  const tasks = await openDatasetTasks(path, seed, 'training')
  const placed: PlacedTask[] = []
  for await (const task of tasks.from({ pass: 0, taken: 0 })) placed.push(task)
  await tasks.close()
  return { placed, refusals: tasks.refusals() }
}

async function only(row: unknown): Promise<DatasetTask> {
  const { placed, refusals } = await read(await written(row))
  expect(refusals).toEqual([])
  return (placed[0] as PlacedTask).task
}

const fenced = (code: string) => `Here it is:\n\n\`\`\`python\n${code}\n\`\`\`\nIt adds.`
const run = (task: DatasetTask, ...answers: string[]) => sandbox.runTests(answers.map(answer => task.check(answer)))

test("MBPP's header comes from its solution, which is never shown, and its asserts are run.", async () => {
  const { placed } = await read(join(golden, 'mbpp.zstd.v2.parquet'))
  const { task, place } = placed[1] as PlacedTask
  expect(task).toMatchObject({ id: '602', question: 'Write add_1(x). Write a function to add 1 to a number. Bee 🐝.' })
  expect(place).toBe('mbpp.zstd.v2.parquet:1')
  expect(await run(task, fenced('def add_1(x):\n    return x + 1'), fenced('def add_1(x):\n    return x'))).toEqual([
    'pass',
    'fail',
  ])
  const liar = 'class Same:\n    __eq__ = lambda *_: True\ndef add_1(x):\n    return 0\nbool = exec = lambda *_: True'
  expect(await run(task, liar)).toEqual(['fail'])
})

test('A sanitized row runs with its imports, and rows that lack a field are counted by it.', async () => {
  const { placed, refusals } = await read(join(golden, 'sanitized.parquet'))
  const [{ task }] = placed as [PlacedTask]
  expect(placed.map(({ task }) => [task.id, task.question])).toEqual([
    ['2', 'Write half(number). Write a function to halve a number.'],
    ['3', 'Write half(number). Write a function to halve a number.'],
  ])
  expect(refusals).toEqual([
    { reason: 'test_list is missing', rows: 1, file: 'sanitized.parquet', row: 2 },
    { reason: 'prompt is missing', rows: 1, file: 'sanitized.parquet', row: 3 },
  ])
  expect(await run(task, fenced('def half(n):\n    return n / 2'), 'def half(n):\n    return n')).toEqual([
    'pass',
    'fail',
  ])
})

test('Without a solution the header follows from the tests, through what wraps the call.', async () => {
  const tests = ['assert set(shared((1, 2), [2])) == {2}, "no"']
  const task = await only({ prompt: 'Find the shared elements.\nOf two lists.', test_list: tests })
  expect(task.question).toBe('Write shared(a, b). Find the shared elements. Of two lists.')
})

test("HumanEval's answer may lean on what stands before the header, and is checked by its own check.", async () => {
  const { placed, refusals } = await read(join(golden, 'humanEval.parquet'))
  expect(refusals).toMatchObject([{ reason: 'entry_point is missing', rows: 1, row: 1 }])
  const [{ task }] = placed as [PlacedTask]
  const right = fenced('def f(xs: List[int]) -> List[int]:\n    return [twice(x) for x in xs]')
  expect(await run(task, right, fenced('def f(xs):\n    return xs'), 'I do not know.')).toEqual([
    'pass',
    'error',
    'error',
  ])
})

test('A program gets its input and its output is compared word by word.', async () => {
  const { placed, refusals } = await read(join(golden, 'contests.parquet'))
  expect(refusals.map(({ reason, row }) => [reason, row])).toEqual([
    ['input_file names a file: only standard input is given', 1],
    ['description is missing', 2],
    ['public_tests.input is missing', 4],
    ['generated_tests.output contains an entry that is missing', 5],
  ])
  expect(placed.map(({ task }) => task.id)).toEqual(['1_A. Sum', '4_D. Private'])
  expect(placed[1]?.task.question).toContain('Example input:\n0 0\n\nIts output:\n0')
  const { task } = placed[0] as PlacedTask
  expect(task.question).toContain('Example input:\n1 2\n\nIts output:\n3')
  const verdicts = await run(
    task,
    fenced('a, b = map(int, input().split())\nprint(a + b)'),
    fenced('import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))\nsys.exit(0)'),
    fenced('import sys\nsys.stdin = open(0)\na, b = map(int, input().split())\nprint(a + b)'),
    fenced('with open("/dev/stdin", mode="rb") as given:\n    print(sum(map(int, given.read().split())))'),
    fenced(
      'import sys, threading\ndef main():\n    print(sum(map(int, input().split())))\n    sys.exit()\n' +
        'threading.stack_size(1 << 27)\nmain = threading.Thread(target=main)\nmain.start()\nmain.join()',
    ),
    fenced('print(3)'),
    fenced('print("unclosed'),
  )
  expect(verdicts).toEqual(['pass', 'pass', 'pass', 'pass', 'pass', 'fail', 'error'])
})

const fastStreams = `
import os, sys
from io import BytesIO, IOBase
class Fast(IOBase):
    def __init__(self, file):
        self.number, self.buffer = file.fileno(), BytesIO()
        self.writable = 'x' in file.mode or 'r' not in file.mode
        self.write = self.buffer.write if self.writable else None
    def read(self):
        return os.read(self.number, max(os.fstat(self.number).st_size, 8192))
    def flush(self):
        if self.writable:
            os.write(self.number, self.buffer.getvalue())
            self.buffer.truncate(0), self.buffer.seek(0)
sys.stdin, sys.stdout = Fast(sys.stdin), Fast(sys.stdout)
sys.stdout.write(b'%d' % sum(map(int, sys.stdin.read().split())))`

test.each([
  [
    'writes at its end',
    'import atexit, io, sys\nkept = sys.stdout = io.StringIO()\n' +
      'atexit.register(lambda: sys.__stdout__.write(kept.getvalue()))\nprint(int(input()) + int(input()))',
  ],
  ['writes to file 1', 'import os\nout = os.fdopen(1, "w")\nout.write(str(int(input()) + int(input())))'],
  ['closes standard output', 'import sys\nprint(int(input()) + int(input()))\nsys.stdout.close()'],
  [
    'puts a buffer before standard output',
    'import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint(int(input()) + int(input()))',
  ],
  [
    'pickles its own class',
    'import pickle\nclass Sum:\n    pass\nkept = Sum()\nkept.value = int(input()) + int(input())\n' +
      'print(pickle.loads(pickle.dumps(kept)).value)',
  ],
  ['reads and writes files by their numbers', fastStreams],
  [
    'reads as much as there is, and ends at once',
    'import io, os\ngiven = io.BytesIO(os.read(0, os.fstat(0).st_size))\nprint(sum(map(int, given)), flush=True)\nos._exit(0)',
  ],
  [
    'leaves a buffer that is not flushed',
    'import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\ndef end():\n    out.write(str(int(input()) + int(input())))\nend()',
  ],
  [
    'wraps a built-in function',
    'import builtins\nplain = builtins.print\nbuiltins.print = lambda *of: plain(*of, flush=True)\nprint(int(input()) + int(input()))',
  ],
  ['reads a path', 'from pathlib import Path\nprint(sum(map(int, Path("/dev/stdin").read_text().split())))'],
])('A right program passes that %s.', async (_, program) => {
  const task = await only({ text: 'Print the sum.', inputs: ['1\n2\n', '5\n6'], outputs: ['3\n', '11'] })
  expect(await run(task, fenced(program))).toEqual(['pass'])
})

const good = { text: 'Double it.', tests: ['assert f(1) == 2'] }

test.each([
  ['no text', { tests: good.tests }, 'text is missing'],
  ['an invalid text', { ...good, text: 5 }, 'text is not a text'],
  ['a text of 1 MB', { ...good, text: 'x'.repeat(1 << 20) }, 'text is longer than 100000 characters'],
  ['invalid tests', { ...good, tests: ['print(1)'] }, 'tests contains a test that is not of the form assert CONDITION'],
  [
    'two statements',
    { ...good, tests: ['assert f(1) == 2; import os'] },
    'tests contains a test that is not of the form assert CONDITION',
  ],
  [
    'a test of 1 MB',
    { ...good, tests: [`assert f(${'('.repeat(1 << 20)}`] },
    'tests contains an entry that is longer than 1000000 characters',
  ],
  [
    'deep nesting',
    { ...good, tests: [`assert f(${'['.repeat(5000)}${']'.repeat(5000)}) == 1`] },
    'tests contains a test that is not of the form assert CONDITION',
  ],
  [
    'an entry that is not a test',
    { ...good, tests: ['assert f(1) == 2', 5] },
    'tests contains an entry that is not a text',
  ],
  ['an id of 1 MB', { ...good, id: 'x'.repeat(1 << 20) }, 'id is longer than 1000 characters'],
  ['no tests', { ...good, tests: [] }, 'tests is empty'],
  ['tests of nothing', { ...good, tests: ['assert 1 == 1'] }, 'tests calls no function that is asked for'],
  ['tests of another function', { ...good, name: 'g' }, 'tests calls no function that is asked for'],
  ['a hostile name', { ...good, name: 'f(x): pass' }, 'name is not a name'],
  ['a keyword as a name', { ...good, name: 'None' }, 'name is a keyword of Python'],
  [
    'a keyword as a parameter',
    { ...good, parameters: ['match', 'class'] },
    'parameters contains an entry that is a keyword of Python',
  ],
])('A row with %s is refused, counted and skipped.', async (_, row, reason) => {
  const path = await written(good, row, row, good)
  const { placed, refusals } = await read(path)
  expect(placed.map(({ place }) => place.split(':')[1])).toEqual(['0', '3'])
  expect(refusals).toEqual([{ reason, rows: 2, file: expect.any(String), row: 1 }])
})

test.each([
  ["assert (f(1) == 2, 'wrong')", 'a tuple'],
  ['assert [f(1) == 2]', 'a list'],
  ['assert lambda: f(1) == 2', 'a lambda'],
  ['assert f(1) == 2 or True', 'an or with a constant'],
])('A row with the test %s is refused, since any answer passes %s.', async (always, form) => {
  const { placed, refusals } = await read(await written(good, { ...good, tests: [...good.tests, always] }))
  expect(placed).toHaveLength(1)
  const reason = `tests contains a test that is always true: its condition is ${form}`
  expect(refusals).toEqual([{ reason, rows: 1, file: expect.any(String), row: 1 }])
})

test('The format of JSON lines is that of the first row that has one.', async () => {
  const { placed, refusals } = await read(await written({ text: 'Double it.' }, good))
  expect(placed).toHaveLength(1)
  expect(refusals).toMatchObject([{ reason: 'tests is missing', row: 0 }])
})

test('Files of one name in two folders have outcomes and refusals of their own.', async () => {
  const folder = await mkdtemp(join(scratch, 'splits-'))
  for (const [name, tests] of [
    ['full', ['assert f(1) == 2']],
    ['sanitized', ['assert f(1) == 3']],
    ['worse', 5],
  ] as const) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'test.jsonl'), JSON.stringify({ text: 'Return a number.', tests }))
  }
  const tasks = await openDatasetTasks(folder, null, 'measuring')
  const numbered: NumberedTask[] = []
  for await (const { task, place } of tasks.from({ pass: 0, taken: 0 }))
    numbered.push({ task, place, number: numbered.length })
  await tasks.close()
  const answer = async () => [['def f(x): return 2']]
  const evaluation = { answer, sandbox, samples: 1, rows: 1, kept: new Map(), done: () => {} }
  expect(await evaluateTasks(numbered, evaluation)).toMatchObject([
    { place: `${join('full', 'test.jsonl')}:0`, verdicts: ['pass'] },
    { place: `${join('sanitized', 'test.jsonl')}:0`, verdicts: ['fail'] },
  ])
  expect(tasks.refusals()).toEqual([
    { reason: 'tests is not a list of texts', rows: 1, file: join('worse', 'test.jsonl'), row: 0 },
  ])
})

test('A file of no format is refused by its columns.', async () => {
  await expect(openDatasetTasks(await written({ a: 1, b: 2 }), null, 'training')).rejects.toMatchObject({
    code: 'DATASET_TASKS',
    message: expect.stringContaining('the columns a, b'),
  })
})

test('An evaluation keeps its outcomes, resumes, and refuses outcomes of other settings.', async () => {
  const { placed } = await read(await written(...[1, 2, 3].map(id => ({ ...good, id }))))
  const numbered = placed.map(({ task, place }, number) => ({ task, place, number }))
  const path = join(scratch, 'outcomes.jsonl')
  const asked: number[] = []
  const answer = async (tasks: readonly { number: number }[]) =>
    tasks.map(({ number }) => {
      asked.push(number)
      return number === 2 ? [] : [fenced('f = lambda x: 2 * x'), number === 0 ? 'f = 0' : 'def f(x): return 2']
    })
  const evaluate = async (tasks: typeof numbered) => {
    const { found, keep } = await openOutcomes(path, { model: 'm' })
    const outcomes = await evaluateTasks(tasks, { answer, sandbox, samples: 2, rows: 2, kept: found, done: keep })
    return figuresOf(outcomes, 2, [1, 2])
  }
  await evaluate(numbered.slice(0, 1))
  await writeFile(path, `${await readFile(path, 'utf8')}{"id":"cut`)
  const figures = await evaluate(numbered)
  expect(asked).toEqual([0, 1, 2])
  expect(await evaluate(numbered)).toEqual(figures)
  expect(asked).toHaveLength(3)
  expect(figures).toMatchObject({ tasks: 3, samples: 2, verdicts: { pass: 3, error: 3 } })
  expect(figures.passAtK.map(({ k, value }) => [k, value])).toEqual([
    [1, expect.closeTo(0.5)],
    [2, expect.closeTo(2 / 3)],
  ])
  await expect(openOutcomes(path, { model: 'n' })).rejects.toMatchObject({ code: 'DATASET_TASKS' })
})

test('A file of outcomes that a crash left empty, or in its first line, begins again; a damaged line loses nothing', async () => {
  const path = join(scratch, 'cut.jsonl')
  const outcome = (id: string) => ({ id, place: id, verdicts: ['pass' as const], answers: ['x'] })
  const settings = { model: 'm' }
  for (const left of ['', '{"waggleEval":1,"set']) {
    await writeFile(path, left)
    const { found, keep } = await openOutcomes(path, settings)
    expect(found.size).toBe(0)
    await keep(outcome('1'))
    expect([...(await openOutcomes(path, settings)).found.keys()]).toEqual(['1'])
  }
  const whole = `${await readFile(path, 'utf8')}{"id":"2"\n${JSON.stringify(outcome('3'))}\n`
  await writeFile(path, whole)
  await expect(openOutcomes(path, settings)).rejects.toMatchObject({ message: `${path} is damaged in line 3.` })
  expect(await readFile(path, 'utf8')).toBe(whole)
  await writeFile(path, 'notes')
  await expect(openOutcomes(path, settings)).rejects.toMatchObject({ message: `${path} has no outcomes.` })
  expect(await readFile(path, 'utf8')).toBe('notes')
  await expect(checkWritable(join(scratch, 'no folder', 'out.jsonl'))).rejects.toMatchObject({ code: 'DATASET_TASKS' })
})

test('A file without a whole row is refused by its first row, and damaged rows at the beginning refuse no file', async () => {
  const path = join(scratch, 'lines.jsonl')
  await writeFile(path, Buffer.from('\xff\n[1]\n', 'latin1'))
  await expect(openDatasetTasks(path, null, 'training')).rejects.toMatchObject({
    message: `${path} has no whole row: lines.jsonl:0 is not UTF-8.`,
  })
  await writeFile(path, `${'{"a": NaN}\n'.repeat(5_000)}${JSON.stringify(good)}\n`)
  const { placed, refusals } = await read(path)
  expect(placed).toHaveLength(1)
  expect(refusals).toEqual([{ reason: 'is not JSON', rows: 5_000, file: 'lines.jsonl', row: 0 }])
})
