import { parser } from '@lezer/python'
import { expect, test, vi } from 'vitest'
import type { Generates } from '../environment.ts'
import { seededRandom } from '../seededRandom.ts'
import { codeZero } from './codeZero.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { levels, type Problem } from './curriculum/task.ts'
import type { CodeJudge } from './judge/createJudge.ts'
import { formatProposal, parseProposal } from './parseProposal.ts'
import { environmentFrom } from './presets.ts'
import type { CodeZeroFormat } from './promptFormat.ts'
import { answerText, problemText, requestText } from './prompts.ts'
import { repairTask } from './repairTask.ts'
import { sameTask } from './sameTask.ts'
import { scoreAnswers } from './scoreAnswers.ts'

const broken = 'def calc(xs):\n    total = 0\n    for x in xs:\n        total -= x\n    return total\n'
const problem: Problem = { name: 'calc', parameters: ['xs'], text: 'Return the total of all numbers in xs.', broken }
const tests = ['assert calc([1, 2]) == 3']

const format = {
  proposalPrompt: async (level: number, form: string) => Int32Array.of(level, form === 'repair' ? 1 : 0),
} as unknown as CodeZeroFormat
const environmentWith = (repairing: number, rule: 'understood' | 'wellFormed' = 'wellFormed') =>
  codeZero({
    spec: environmentFrom('qwen', { tasks: rule, repairing }),
    format,
    solverFolder: '',
    judgeModel: null,
    openCodeJudge: () => Promise.reject(new RangeError('not asked')),
  })

test('A proposal may hold a broken function, which is read back, and is another task than to write it.', async () => {
  const text = formatProposal({ problem, tests })
  expect(text).toBe(`Repair calc(xs). ${problem.text}\n\`\`\`python\n${broken}\`\`\`\n${tests[0]}`)
  expect(await parseProposal(text)).toEqual({ problem, tests })
  const { broken: _, ...written } = problem
  expect(sameTask(problem)).not.toBe(sameTask(written))
  expect([problem, written].map(one => environmentWith(0.5).familyOf?.(one))).toEqual(['repair', 'write'])
})

test.each([
  ['none', ''],
  ['another function', broken.replace('calc', 'other')],
  ['no Python', 'def calc(xs:\n'],
  ['other parameters', broken.replaceAll('xs', 'ys')],
  ['nothing that reads what it is given', 'def calc(xs):\n    return 0\n'],
  ['more than the function', `${broken}print(1)\n`],
  ['a helper that it does not need', `${broken}\n\ndef other(x):\n    return x\n`],
  ['a long one', `${broken}${'    # x\n'.repeat(300)}`],
])('No broken function: %s.', async (_, code) => {
  const text = formatProposal({ problem: { ...problem, broken: code }, tests })
  expect(await parseProposal(text)).toBe('no broken function')
  expect(await parseProposal(text.replace('```python', '```'))).toBe('no broken function')
})

test.each([
  ['as it was', broken],
  [
    'with comments and other spaces',
    broken.replace('total = 0', 'total  =  0 # sums').replaceAll('        ', '      '),
  ],
  ['with other names', broken.replaceAll('total', 'acc').replaceAll('x ', 'item ').replace('-= x', '-= item')],
  ['with hints, a docstring and a pass', broken.replace('(xs):\n', '(xs: list) -> int:\n    """Sum."""\n    pass\n')],
  [
    'with brackets',
    broken.replace('= 0', '= (0)').replace('-= x', '-= ((x))').replace('return total', 'return(total)'),
  ],
  ['with a value that nothing reads', broken.replace('    for', '    zero = 0\n    none: int = (zero + 1)\n    for')],
  ['with an import and a constant', `import math\nONE = 1\n\n\n${broken}`],
  ['with one more comma', broken.replace('(xs)', '(xs,)')],
  ['with a sign after its parameters', broken.replace('(xs)', '(xs, /)')],
  ['with an import in it', broken.replace('    total = 0', '    import math\n    total = 0')],
  ['with another spelling of a number', broken.replace('= 0', '= 0x0')],
  ['with a value that it has already', broken.replace('    total = 0', '    total = 0\n    total = total')],
])('A copy of the broken function earns what wrong code does: %s.', async (_, code) => {
  const judge: CodeJudge = { predictCorrectness: async pairs => pairs.map(() => 1) }
  const { weights } = environmentFrom('qwen')
  const mended = broken.replace('-=', '+=')
  const scores = await scoreAnswers(
    judge,
    weights,
    [code, mended].map(given => ({ problem, text: answerText(given), ended: true })),
  )
  expect(scores.map(score => score.components.predictedCorrectness)).toEqual([0, 1])
  expect(scores[0]?.components.adheres).toBe(1)
})

test('A judge reads what the function has to do, and a solver the broken one too.', () => {
  expect(problemText(problem)).toBe(`Write calc(xs). ${problem.text}`)
  expect(requestText(problem)).toContain(broken)
})

test('A text that the rule refuses has no Python parsed, and one that counts has it parsed once for the task and its key.', async () => {
  const { proposals } = environmentWith(0.25, 'understood')
  const parses = async (text: string) => {
    // An object of the library: files share their modules, so a module that is already loaded cannot be replaced.
    using start = vi.spyOn(parser, 'startParse')
    const read = await proposals?.read(text)
    if (read) expect(await proposals?.keyOf(text)).toBe(sameTask(read))
    return [read ?? null, start.mock.calls.length]
  }
  const strange = { ...problem, text: 'Do what nobody understands.' }
  expect(await parses(formatProposal({ problem: strange, tests }))).toEqual([null, 0])
  const { broken: _, ...written } = { ...problem, text: 'Return the sum of the numbers in xs that are even.' }
  expect(await parses(formatProposal({ problem: written, tests: [...tests, ...tests] }))).toEqual([written, 2])
})

test('An environment asks for its share of repairs, and counts them only where it has some.', async () => {
  const [some, none] = [environmentWith(0.25), environmentWith(0)]
  const text = formatProposal({ problem, tests })
  expect(await some.proposals?.read(text)).toEqual(problem)
  expect(await some.proposals?.faultOf(text, 3)).toBeNull()
  expect(await none.proposals?.read(text)).toBeNull()
  expect(await none.proposals?.faultOf(text, 3)).toBe('a repair')
  const asked: [prompt: number[], samples: number][] = []
  const model: Generates = {
    async generate({ prompts, samplesPerPrompt }) {
      asked.push([[...(prompts[0] ?? [])], samplesPerPrompt])
      return []
    },
  }
  await some.proposals?.write(2, 24, '0x', new AbortController().signal, model)
  await none.proposals?.write(2, 24, '0x', new AbortController().signal, model)
  expect(asked).toEqual([
    [[2, 0], 18],
    [[2, 1], 6],
    [[2, 0], 24],
  ])
  const brokenIn = (problems: readonly { problem: Problem }[]) =>
    problems.filter(({ problem }) => problem.broken !== undefined).length
  expect(brokenIn(some.drawTasks(3, 200, 'seed'))).toBeGreaterThan(30)
  expect(brokenIn(await some.heldOutTasks(3, 40))).toBeGreaterThan(3)
  expect(brokenIn(none.drawTasks(3, 200, 'seed')) + brokenIn(await none.heldOutTasks(3, 40))).toBe(0)
})

test('Broken functions of the curriculum are whole proposals, at every level.', async () => {
  const random = seededRandom('repairs')
  for (const level of levels)
    for (let at = 0; at < 10; at++) {
      const { name, parameters, text, broken } = repairTask(drawTrainingTask(level, random), random)
      const drawn = { name, parameters, text, broken }
      const asserts = [`assert ${name}(${parameters.map(() => 1)}) == 1`]
      expect(await parseProposal(formatProposal({ problem: drawn, tests: asserts }))).toMatchObject({ problem: drawn })
    }
})
