import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { MAX_TASK_BYTES } from '@waggle/deployments/protocol'
import { afterAll, expect, test } from 'vitest'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { CodeZeroFormat } from '#environments/codezero/promptFormat.ts'
import type { Environment } from '#environments/environment.ts'
import type { JsonValue } from '#store/journal.ts'
import { openDatasetProposer } from './datasetProposer.ts'
import { proposalsOf } from './proposalsOf.ts'
import type { WriteProposals } from './propose.ts'
import { gatherTasks, refusedRows } from './proposer.ts'
import { createTaskList, type TaskList } from './taskList.ts'

const scratch = await mkdtemp(join(tmpdir(), 'waggle-propose-'))
afterAll(() => rm(scratch, { recursive: true }))

let files = 0
async function written(...rows: unknown[]): Promise<string> {
  const path = join(scratch, `${files++}.jsonl`)
  await writeFile(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return path
}

// A prompt is four tokens long, however long its text is.
const format = {
  solverPrompt: async () => new Int32Array(4),
} as unknown as CodeZeroFormat
const environment = codeZero({
  spec: environmentFrom('qwen', { tasks: 'wellFormed' }),
  format,
  solverFolder: '',
  judgeModel: null,
  openCodeJudge: () => Promise.reject(new RangeError('not asked')),
}) as Environment
const forever = new AbortController().signal
const proposals = proposalsOf(environment)

const rowOf = (at: number) => ({ text: `Add ${at} to the number.`, tests: [`assert add_${at}(1) == ${at + 1}`] })
const hundred = Array.from({ length: 100 }, (_, at) => rowOf(at))
const listOf = (count: number) => createTaskList(environment, 2, count)
const open = (path: string, kept?: JsonValue, seed = 'peer') => openDatasetProposer(path, seed, proposals, kept)

async function taken(path: string, count: number, kept?: JsonValue): Promise<{ list: TaskList; position: JsonValue }> {
  const proposer = await open(path, kept)
  const list = listOf(count)
  await proposer.take(list, count, forever)
  proposer.proposed()
  await proposer.close()
  return { list, position: proposer.position() }
}

test("Tasks of a dataset are proposed in the peer's own order, and a restart continues after the last one.", async () => {
  const path = await written(...hundred)
  const [whole, other] = [await taken(path, 12), await open(path, undefined, 'another peer')]
  const [first, otherList] = [await taken(path, 6), listOf(12)]
  const second = await taken(path, 6, first.position)
  await other.take(otherList, 12, forever)
  await other.close()
  expect([...first.list.texts, ...second.list.texts]).toEqual(whole.list.texts)
  expect(new Set(whole.list.texts).size).toBe(12)
  expect(otherList.texts).not.toEqual(whole.list.texts)
  for (const text of whole.list.texts) expect(await proposals.read(text)).not.toBeNull()
  // The position in another dataset says nothing of this one.
  expect((await taken(await written(...hundred, rowOf(100)), 6, first.position)).position).toMatchObject({ taken: 6 })
})

test('The position in a dataset does not depend on how its path is written.', async () => {
  const path = await written(...hundred)
  const { position } = await taken(path, 6)
  const proposer = await open(relative(process.cwd(), path), position)
  expect(proposer.position()).toEqual(position)
  await proposer.close()
})

test('Tasks of a list that did not get onto the chain are the first of the next one, and a restart begins with them.', async () => {
  const path = await written(...hundred)
  const proposer = await open(path)
  const [failed, next] = [listOf(4), listOf(6)]
  await proposer.take(failed, 2, forever)
  await proposer.take(failed, 2, forever)
  expect(failed.texts).toHaveLength(4)
  expect(proposer.position()).toMatchObject({ taken: 0 })
  await proposer.take(next, 6, forever)
  expect(next.texts.slice(0, 4)).toEqual(failed.texts)
  proposer.proposed()
  expect(proposer.position()).toMatchObject({ taken: 6 })
  await proposer.close()
})

test('Past its last row a dataset starts over, and one of which nothing can be proposed ends.', async () => {
  const path = await written(...hundred.slice(0, 5))
  const proposer = await open(path)
  const lists = [listOf(4), listOf(4)] as const
  for (const list of lists) {
    await proposer.take(list, 4, forever)
    proposer.proposed()
  }
  expect(proposer.position()).toMatchObject({ pass: 1, taken: 3 })
  expect(lists[1].texts).toHaveLength(4)
  const program = { text: 'Print it.', inputs: ['1 2'], outputs: ['1 2\n'] }
  expect((await taken(await written(program), 1)).list.texts).toEqual([
    'Write solve(given). Return the text that a program would print that reads the text given. Print it.\nassert solve("1 2") == "1 2\\n"',
  ])
  const { list } = await taken(await written({ ...program, text: 5 }, { ...program, text: '' }), 4)
  expect(list.texts).toEqual([])
  await proposer.close()
})

/** A text that hardly deflates. */
const noise = (seed: string, characters: number) =>
  Array.from({ length: 50 }, (_, i) => createHash('sha256').update(`${seed} ${i}`).digest('base64'))
    .join('')
    .slice(0, characters)
/** About 1.4 kB of a proposal each. */
const longRows = Array.from({ length: 60 }, (_, at) => ({ ...rowOf(at), text: noise(`row ${at}`, 1_800) }))

test('Rows that cannot be proposals are skipped, each with a counted reason.', async () => {
  const asserts = [1, 2, 3, 4].map(at => `assert f('${noise(`test ${at}`, 370)}') == ${at}`)
  const path = await written(
    ...longRows.slice(0, 5),
    { text: 'No plain value.', tests: ['assert isinstance(f(1), int)'] },
    { text: 'x'.repeat(3_000), tests: ['assert f(1) == 1'] },
    { text: noise('large', 1_900), tests: asserts },
    { text: 'Twice.', tests: ['assert f(1) == 2'] },
    { text: 'Twice.', tests: ['assert g(1) == 2'] },
  )
  const { list } = await taken(path, 40)
  expect(list.texts).toHaveLength(6)
  expect(list.refused).toEqual({
    'dataset: no test is a call with plain values, compared with one': 1,
    'dataset: text too long': 1,
    'too large for calldata': 1,
    repeated: 1,
  })
})

test('A proposal is full after a few tasks without space, which are the first of the next one, also after a restart.', async () => {
  const path = await written(...longRows)
  const proposer = await open(path)
  const gather = async () => {
    const list = listOf(48)
    const { fromDataset } = await gatherTasks(
      { write: null, dataset: { proposer, share: 1 } },
      environment,
      2,
      list,
      () => '0x00',
      forever,
    )
    expect([fromDataset, list.wanted()]).toEqual([list.texts.length, 0])
    const bytes = encodeProposal({ level: 2, texts: list.texts }).byteLength
    expect(bytes).toBeLessThanOrEqual(MAX_TASK_BYTES)
    expect(bytes).toBeGreaterThan(MAX_TASK_BYTES - 2_048)
    expect(list.refused).toEqual({ 'no more space in the proposal': 4 })
    proposer.proposed()
    return list.texts
  }
  const first = await gather()
  const position = proposer.position()
  expect(position).toMatchObject({ pass: 0, taken: first.length })
  const rest = [...(await gather()), ...(await gather())]
  expect(new Set([...first, ...rest]).size).toBe(first.length + rest.length)
  await proposer.close()
  expect((await taken(path, 3, position)).list.texts).toEqual(rest.slice(0, 3))
  expect(proposer.position()).toMatchObject({ pass: 0, taken: first.length + rest.length })
})

test('Long tasks leave a model its part of the bytes, which a model that fills it is not asked for again.', async () => {
  const proposer = await open(await written(...longRows))
  const list = listOf(48)
  let asked = 0
  const write: WriteProposals = async (_, count) => {
    const texts = Array.from({ length: count }, (_, at) => noise(`model ${asked} ${at}`, 1_400))
    asked++
    return texts.map((text, at) => ({ text: `Write g(x). ${text}\nassert g(${at}) == 0`, ended: true }))
  }
  const sources = { write, dataset: { proposer, share: 0.5 } }
  const { fromDataset } = await gatherTasks(sources, environment, 2, list, () => '0x00', forever)
  expect([fromDataset, list.texts.length, asked]).toEqual([5, 13, 1])
  // Of a dataset with a small share, one long task is proposed.
  const few = listOf(48)
  await proposer.take(few, 2, forever)
  expect(few.texts).toHaveLength(1)
  await proposer.close()
})

test.each([
  ['assert f((3)) == (4)', 'assert f(3) == 4'],
  ['assert f((([1, (2)])))==(([1, 2]))', 'assert f([1, 2])==[1, 2]'],
  ['assert(f((1, 2), (3,)) == (1))', 'assert f((1, 2), (3,)) == 1'],
  ["assert (f)('(a)')==('(b)')", "assert f('(a)')=='(b)'"],
])('A test with idle parentheses, as MBPP has, is proposed without them: %s', async (assert, test) => {
  const problem = { name: 'f', parameters: assert.includes('3,') ? ['a', 'b'] : ['a'], text: 'Do it.' }
  const told = await proposals.tell({ function: { problem, asserts: [assert] } })
  expect('text' in told && told.text.split('\n').slice(1)).toEqual([test])
})

test.each([
  'assert (f(1) + 1) * 2 == 4',
  'assert f(1) == (2 == 2)',
  'assert f((1) + 1) == 2',
  'assert f(x for x in (1,)) == 2',
])('A test whose parentheses hold more than a value is not proposed: %s', async assert => {
  const problem = { name: 'f', parameters: ['a'], text: 'Do it.' }
  expect(await proposals.tell({ function: { problem, asserts: [assert] } })).toEqual({
    reason: 'no test is a call with plain values, compared with one',
  })
})

test('A report names file, row and field of rows that it skips, and counts them.', async () => {
  const path = await written(...hundred.slice(0, 3), { ...rowOf(3), text: 7 }, { tests: ['assert f(1) == 1'] })
  const proposer = await open(path)
  const dataset = { proposer, share: 1 }
  expect(refusedRows({ dataset })).toEqual({})
  const list = listOf(8)
  await proposer.take(list, 8, forever)
  await proposer.close()
  expect(refusedRows({ dataset })).toEqual({
    refusedRows: {
      'text is not a text': expect.stringMatching(/^\d, first \d+\.jsonl:3$/),
      'text is missing': expect.stringMatching(/^\d, first \d+\.jsonl:4$/),
    },
  })
  expect(list.texts).toHaveLength(3)
})

test('A dataset whose rows are mostly not tasks is read on in the next round, and not once the time is up.', async () => {
  const useless = Array.from({ length: 10_005 }, () => ({ text: 'Print it.', tests: ['print(1)'] }))
  const path = await written(...useless)
  const proposer = await open(path)
  const list = listOf(8)
  await proposer.take(list, 8, AbortSignal.abort())
  expect(proposer.position()).toMatchObject({ taken: 0 })
  await proposer.take(list, 8, forever)
  expect(proposer.position()).toMatchObject({ pass: 0, taken: 10_000 })
  await proposer.take(list, 8, forever)
  expect(proposer.position()).toMatchObject({ taken: 10_005 })
  await proposer.close()
  expect(proposer.refusals()).toMatchObject([{ file: basename(path) }])
})

test('HumanEval is for measuring, and a text that the starter does not read is not for its swarm.', async () => {
  const humanEval = { prompt: 'def f(x):\n    """Twice."""\n', entry_point: 'f', test: 'def check(f):\n    pass\n' }
  await expect(open(await written(humanEval))).rejects.toMatchObject({
    code: 'DATASET_TASKS',
    message: expect.stringContaining('for measuring'),
  })
  const starter = codeZero({
    ...{ spec: environmentFrom('starter'), format, solverFolder: '', judgeModel: null },
    openCodeJudge: () => Promise.reject(new RangeError('not asked')),
  })
  const tell = proposalsOf(starter as Environment).tell
  const [asked] = [
    { problem: { name: 'f', parameters: ['a', 'b'], text: 'Double a.' }, asserts: ['assert f(1, 2) == 2'] },
  ]
  expect(await tell({ function: asked })).toEqual({ reason: 'not understood' })
  expect(
    await tell({ function: { ...asked, problem: { ...asked.problem, text: 'Return a plus b.' } } }),
  ).toHaveProperty('text')
})

test('The dataset gives its share, and replaces invalid proposals of the model.', async () => {
  const proposer = await open(await written(...hundred))
  let asked = 0
  const says = (text: (at: number) => string): WriteProposals => {
    return async (_, count) => Array.from({ length: count }, () => ({ text: text(asked++), ended: true }))
  }
  const seedOf = () => '0x00' as const
  const gather = async (write: WriteProposals | null, share: number) => {
    const list = listOf(8)
    return {
      list,
      ...(await gatherTasks(
        { write, dataset: { proposer, share } },
        environment,
        2,
        list,
        seedOf,
        new AbortController().signal,
      )),
    }
  }
  const good = says(at => `Write g(x). Take ${at} from x.\nassert g(${at}) == 0`)
  expect((await gather(good, 0.25)).fromDataset).toBe(2)
  expect(asked).toBe(6)
  const silent = await gather(
    says(() => 'I do not know.'),
    0.25,
  )
  expect([silent.fromDataset, silent.list.texts.length]).toEqual([8, 8])
  expect(silent.list.refused).toEqual({ 'no header': 48 })
  expect((await gather(null, 1)).fromDataset).toBe(8)
  await proposer.close()
})
