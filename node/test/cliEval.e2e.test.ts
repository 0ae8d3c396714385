import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callCli } from './callCli.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { runCli } from './cliProcess.ts'

const root = await mkdtemp(join(tmpdir(), 'waggle-cli-eval-'))
afterAll(() => rm(root, { recursive: true }))

test('a model is measured on a file, invalid tasks are counted, and the command resumes', async () => {
  const [model, data, out] = ['model', 'tasks.jsonl', 'out.jsonl'].map(name => join(root, name)) as [
    string,
    string,
    string,
  ]
  await writeChatModel(model, 'eval')
  const task = { text: 'Double it.', tests: ['assert f(1) == 2'] }
  await writeFile(data, [task, { ...task, tests: 'none' }, task].map(row => JSON.stringify(row)).join('\n'))
  const argv = [
    'eval',
    '--model',
    model,
    '--dataset',
    data,
    '--samples',
    '2',
    '--max-new-tokens',
    '8',
    '--out',
    out,
    '--json',
  ]
  const first = await runCli(argv)
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('tests is not a list of texts') })
  const figures = JSON.parse(first.stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(figures).toMatchObject({ tasks: 2, samples: 2, refused: [{ rows: 1, row: 1 }], verdicts: { pass: 0 } })
  expect(figures.passAtK.map(({ k }: { k: number }) => k)).toEqual([1, 2])
  const kept = await readFile(out, 'utf8')
  expect(await runCli(argv)).toMatchObject({ code: 0, stdout: first.stdout })
  expect(await readFile(out, 'utf8')).toBe(kept)
  const others = { code: 1, stderr: expect.stringContaining('other options or files') }
  expect(await runCli([...argv, '--seed', '1'])).toMatchObject(others)
  await writeFile(data, JSON.stringify({ ...task, tests: ['assert f(1) == 3'] }))
  expect(await runCli(argv)).toMatchObject(others)
  expect(await readFile(out, 'utf8')).toBe(kept)
})

test('tasks that the model cannot be asked are told with their place, and the others are measured', async () => {
  const [model, data, out] = ['narrow', 'long.jsonl', 'long.out'].map(name => join(root, name)) as [
    string,
    string,
    string,
  ]
  await writeChatModel(model, 'eval')
  const file = join(model, 'tokenizer.json')
  const tokenizer = JSON.parse(await readFile(file, 'utf8'))
  // With many of these, a text becomes longer than any may be.
  tokenizer.normalizer = { type: 'Replace', pattern: { String: '~' }, content: 'x'.repeat(60_000) }
  await writeFile(file, JSON.stringify(tokenizer))
  const tests = ['assert f(1) == 2']
  const texts = ['Double it.', '~'.repeat(20_000), 'Double it. '.repeat(2_000), 'Twice.', 'long '.repeat(5_000)]
  await writeFile(data, texts.map(text => JSON.stringify({ text, tests })).join('\n'))
  const argv = ['eval', '--model', model, '--dataset', data, '--max-new-tokens', '8', '--out', out, '--json']
  const first = await callCli(argv)
  expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/refused: 2 rows, first long\.jsonl:2: /) })
  const figures = JSON.parse(first.stdout)
  expect(figures).toMatchObject({
    tasks: 5,
    refused: [
      { rows: 1, file: 'long.jsonl', row: 1, reason: expect.stringContaining('cannot be encoded') },
      { rows: 2, file: 'long.jsonl', row: 2, reason: expect.stringContaining('4096 positions') },
    ],
  })
  expect(JSON.parse((await callCli(argv)).stdout)).toEqual(figures)
})

test.each([
  [['--k', '2'], '--k 2 is out of range'],
  [['--policy', 'starter'], 'cannot be combined'],
  [['--dataset', 'nothing.jsonl'], 'nothing.jsonl does not exist'],
  [['--dataset', '/nothing'], "'/nothing' is neither a file, a folder nor a dataset on the hub. Name a file"],
  [['--dataset', 'a/b:../c'], "'a/b:../c' is neither a file, a folder nor a dataset on the hub."],
])('eval --model x with %j is refused', async (argv, message) => {
  expect((await runCli(['eval', '--model', 'x', ...argv])).stderr).toContain(message)
})

test.each([
  [['create', '--kind', 'reasoning', '--out', '/nothing/env.json'], 'The folder of /nothing/env.json does not exist.'],
  [['check', '/nothing.ts'], '/nothing.ts does not exist. Name a specification'],
])('environment %j is refused before a model is opened', async (argv, message) => {
  expect((await callCli(['environment', ...argv, '--model', 'x'])).stderr).toContain(message)
})

test('a model is measured on the held-out questions of an environment that a program checks', async () => {
  const [model, spec] = ['asked', 'env.json'].map(name => join(root, name)) as [string, string]
  await writeChatModel(model, 'asked')
  const made = await runCli(['environment', 'create', '--kind', 'reasoning', '--model', model, '--out', spec, '--json'])
  const hashed = await runCli(['environment', 'hash', spec])
  const { hash } = JSON.parse(made.stdout)
  expect(hashed.stdout.trim()).toBe(hash)
  const checked = await runCli(['environment', 'check', spec, '--model', model, '--json'])
  expect(checked).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(checked.stdout)).toEqual({ ok: true, findings: [], hash })
  const broken = `${spec}.json`
  const { prompts, ...fields } = JSON.parse(await readFile(spec, 'utf8'))
  await writeFile(broken, JSON.stringify({ ...fields, prompts: { ...prompts, vocabSize: 10 } }))
  const found = await runCli(['environment', 'check', broken, '--model', model])
  expect(found).toMatchObject({ code: 1, stdout: 'solverPrompt: a token is outside of the vocabulary.\n' })
  const argv = [
    'eval',
    '--environment',
    spec,
    '--model',
    model,
    '--level',
    '1',
    '--tasks',
    '3',
    '--samples',
    '2',
    '--json',
  ]
  const { code, stderr, stdout } = await runCli(argv)
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`measuring ${model} on 3 held-out tasks`),
  })
  const [{ policy, tasks: measured, passAt1, predicted, passAtK, families }] = JSON.parse(stdout).policies
  expect(policy).toBe(model)
  expect(measured).toBe(3)
  // The verifier decides both.
  expect(predicted).toBe(passAt1)
  expect(passAtK.map(({ k }: { k: number }) => k)).toEqual([1, 2])
  expect(families.reduce((sum: number, { tasks }: { tasks: number }) => sum + tasks, 0)).toBe(3)
})
