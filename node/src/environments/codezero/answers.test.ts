import { expect, test } from 'vitest'
import type { Level } from '../level.ts'
import { seededRandom } from '../seededRandom.ts'
import { canonicalCode } from './canonical/canonicalCode.ts'
import { drawHeldOutTask, drawTrainingTask } from './curriculum/drawTask.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import type { Problem } from './curriculum/task.ts'
import { type CodeJudge, createJudge } from './judge/createJudge.ts'
import { presets } from './presets.ts'
import { answerText } from './prompts.ts'
import { parsePython } from './python/parsePython.ts'
import { scoreAnswers } from './scoreAnswers.ts'
import { checkStructure, codeOfAnswer } from './structure.ts'

const problem: Problem = {
  name: 'calc',
  parameters: ['xs'],
  text: 'Return the sum of the numbers in xs that are even.',
}
const right = 'def calc(xs):\n    return sum([x for x in xs if x % 2 == 0])\n'
const wrong = 'def calc(xs):\n    return len(xs)\n'
const shapeless = ['fenced', 'parses', 'defines', 'adheres'] as const
const plainBlock = (code: string) => answerText(code).replace('python', '')
const main = (code: string) => `\n\nif __name__ == '__main__':\n${code.replaceAll(/^(?=.)/gm, '    ')}`

test('Code is valid or not as CPython says, without running it.', async () => {
  const valid = [right, 'def f(a):\n    return a', 'x = 1\n', 'def f(a, b=1, *c, **d):\n    pass\n']
  const invalid = ['def f(a):\nreturn a\n', 'def f(a:\n', 'return (a\n', 'def f(a):\n    x = 1\n      y = 2\n', 'a +\n']
  for (const code of valid) expect(await parsePython(code), code).not.toBeNull()
  for (const code of invalid) expect(await parsePython(code), code).toBeNull()
})

test('The judge reads code with canonical names, and nothing that speaks to a reader.', async () => {
  const code = `def calc(xs):
    """Return the sum of the numbers in xs that are even."""
    total = 0  # the sum of the numbers that are even

    for item in xs:
        if item % 2 == 0:
            total += item
    return max(total, total.count("a"))
`
  expect(await canonicalCode(code, problem)).toBe(`def f(xs):
    p = 0
    for q in xs:
        if q % 2 == 0:
            p += q
    return max(p, p.count('a'))
`)
  expect(await canonicalCode('def calc(xs):\n    sum = 0\n    return sum + xs\n', problem)).toBe(
    'def f(xs):\n    p = 0\n    return p + xs\n',
  )
  const computed = 'def calc(xs):\n    return(4 - 4) * xs + (1 - 3) ** 2 - 3 * -2\n'
  expect(await canonicalCode(computed, problem)).toBe('def f(xs):\n    return 0 * xs + (-2) ** 2 - -6\n')
})

test.each([
  ['xs', 'xs'],
  ['total', 'xs'],
  ['s', 'xs'],
  ['x', 'xs'],
])("A function's name that its code uses for another thing, %s, is not read twice.", async (name, parameter) => {
  const code = (header: string) =>
    `def ${header}(${parameter}):\n    s = 0\n    for x in xs:\n        total = x * 2\n        s += total\n    return s\n`
  const parameters = [parameter]
  const seen = await canonicalCode(code(name), { name, parameters })
  expect(seen).not.toBeNull()
  expect(seen).toBe(await canonicalCode(code('calc'), { name: 'calc', parameters }))
})

test.each([
  ['((a - b)) - (3)', 'a - b - 3'],
  ['a - (b - 3)', 'a - (b - 3)'],
  ['(a * b) + (a ** 2)', 'a * b + a ** 2'],
  ['(a + b) * 3 % (a * b)', '(a + b) * 3 % (a * b)'],
  ['(-a) ** 2 + -(a ** 2) - (-b)', '(-a) ** 2 + -a ** 2 - -b'],
  ['(a ** b) ** (a ** b)', '(a ** b) ** a ** b'],
  ['(3).count(a) + (3) ** (-b)', '(3).count(a) + 3 ** -b'],
  ['not (a < (b + 3))', 'not a < b + 3'],
  ['(not a) == 3 or a', null],
  // Brackets hide what is refused.
  ['(a in b) + 3', null],
  ['a + (3 in b)', null],
  ['sum(a) - len(b) + len((b))', null],
  ['((a * 4)) * 4 + b', null],
  ['[([a + b])]', null],
  ['(a < b) == (b < a)', '(a < b) == (b < a)'],
  ['(a if (a < b) else b) if a else (b if b else 3)', '(a if a < b else b) if a else b if b else 3'],
  ['sum([(p) for p in (a if a else b) if (p < 3) if (not p)])', 'sum([p for p in (a if a else b) if p < 3 if not p])'],
  ['len((a + b)[(3):]) + max((a), (b))', 'len((a + b)[3:]) + max(a, b)'],
])('The judge reads %s without brackets that change nothing.', async (value, read) => {
  const seen = await canonicalCode(`def f(a, b):\n    return ${value}\n`, { name: 'f', parameters: ['a', 'b'] })
  expect(seen).toBe(read && `def f(a, b):\n    return ${read}\n`)
})

test("The starter's judge reads single functions: hints and docstrings go, and what it could only guess is wrong.", async () => {
  const plain = await canonicalCode(right, problem)
  for (const same of [
    right.replace('(xs)', '(xs: list[int] | t.Sequence[int]) -> None'),
    `"""Sums."""\n0\npass\n\n${right}`,
    right.replace('\n', '\n    "Sums."\n    "Really."\n'),
    ...['  ', '\t', '        '].map(indent => right.replace('    ', indent)),
    'def calc( xs ) : return ( sum( [ x for x in xs\n  if x%2==0 ] ) )  # even\n',
    right.replace('return', 'total =').concat('    return total\n'),
    right.replace('return', 'total =').concat('    return (total)\n'),
    'def calc(xs):\n    return \\\n sum([x for x in xs if x % 2 == 0])\n',
  ])
    expect(await canonicalCode(same, problem), same).toBe(plain)
  for (const other of [
    'def calc(xs):\n    return 0\n',
    'def calc(xs):\n    xs\n    return 0\n',
    'def calc(xs):\n    xs = 0\n    return 0\n',
    'def calc(xs):\n    return [xs]\n',
    `def calc(xs):\n    return xs[0]\n${right.slice(right.indexOf('\n') + 1)}`,
    ...['False', '(True)', '1 > 2', 'not 0'].map(
      never => `def calc(xs):\n    if ${never}:\n        return sum(xs)\n    return len(xs)\n`,
    ),
    ...['0 and sum(xs) or len(xs)', '7 or sum(xs)', 'sum(xs) if False and xs else len(xs)'].map(
      hidden => `def calc(xs):\n    return ${hidden}\n`,
    ),
    'def calc(xs):\n    return (sum(xs) if #\n    1 < 0 else len(xs))\n',
    'def calc(xs):\n    return sum(x for x in xs if 2 > 1)\n',
    'def calc(xs):\n    return (2 - sum(xs) #\n    - 2)\n',
    ...['{xs.sort()}', '{(xs := [])}', "{'x':{xs.pop()}}", '{xs:d}'].map(inserted =>
      right.replace('\n', `\n    '' f"${inserted}"\n`),
    ),
    'def calc(xs):\n    def inner(xs):\n        return sum(xs)\n    return len(xs)\n',
    'START = 0\ndef calc(xs):\n    return sum(xs, START)\n',
    ...['(xs, more=None)', '(xs=())', '(xs, *, k=3)', "(xs: 'int')", '(xs: print(1))', '(xs) -> [int]'].map(header =>
      right.replace('(xs)', header),
    ),
    ...['import math', 'LIMIT: int = 3', 'def unused(xs):\n    return 0', 'class A:\n    pass', 'xs'].map(
      before => `${before}\n${right}`,
    ),
    ...['total: int = 0', 'a, b: int = 1, 2'].map(hinted => right.replace('\n', `\n    ${hinted}\n`)),
    ...[' def', '\tdef'].map(start => right.replace('def', start)),
    ...['\\', '\\\n', '\\\n  '].map(end => `${right.trimEnd()}${end}`),
    right.replaceAll(/\bx\b/g, '__debug__'),
    // Names without a value.
    ...['t', 't = t', 't += 1', 't = sum(t)', 't = sum(x for x in t)', 'for t in t:\n        x = t'].map(before =>
      right.replace('\n', `\n    ${before}\n    t = 0\n`),
    ),
    // Unpacking, and what Python refuses.
    ...['t, = 0', '[t] = 0', 't = 1 = []', 't()', 'xs[0] = 1', "'', xs.pop()", 'sum(xs)\n    "late"'].map(statement =>
      right.replace('\n', `\n    ${statement}\n`),
    ),
    ...['for x, in xs', 'for [x] in xs', 'for x in xs,'].map(
      loop => `def calc(xs):\n    t = 0\n    ${loop}:\n        t += x\n    return t\n`,
    ),
    ...['(xs, **xs)', '(/, xs)', '(*xs)'].map(header => right.replace('(xs)', header)),
    ...[
      'sum(xs),',
      '0 == not xs',
      '1 < sum(xs) < 3',
      '*xs + xs',
      'xs[0] + 1',
      'sum(x for x, in xs)',
      'sum([[x for x in xs]])',
    ].map(value => `def calc(xs):\n    return ${value}\n`),
    // Forms that the curriculum's solutions do not have.
    ...'sum(xs), 3|min(xs)|max|sum(xs) or 7|xs.pop() + 1|xs.real + 1|sum(xs) + 17|sum(xs) * 9 * 9 * 1.0|sum(xs) + 3 * 4'
      .split('|')
      .map(value => `def calc(xs):\n    return ${value}\n`),
    ...[
      'sum(xs) // 2',
      'sum(xs) - x',
      'sum(xs, start=1)',
      'sum({*xs, 1})',
      'len(x for x in xs)',
      'sum((xs)[0, 1])',
    ].map(value => `def calc(xs):\n    return ${value}\n`),
    'def calc(xs):\n    p = sum(xs)\n    p -= 3\n    return p\n',
    'def calc(xs):\n    while sum(xs) > 3:\n        xs = xs[1:]\n    return xs\n',
  ])
    expect(await canonicalCode(other, problem), other).toBeNull()
  const added = right.replace('x for', '(x #\n+ 3) for')
  expect(await canonicalCode(added, problem)).toBe('def f(xs):\n    return sum([p + 3 for p in xs if p % 2 == 0])\n')
})

test("The starter's judge reads every solution of the curriculum.", async () => {
  const random = seededRandom('solutions')
  for (let i = 0; i < 300; i++) {
    const draw = i % 2 === 0 ? drawTrainingTask : drawHeldOutTask
    const task = draw((1 + (i % 5)) as Level, random)
    const solution = renderSolution(task, task.meaning, random)
    expect(await canonicalCode(solution, task), solution).not.toBeNull()
  }
})

test.each([
  ['a right answer', answerText(right), true, []],
  ['no fence', right, true, ['fenced', 'parses', 'defines', 'adheres']],
  ['no closing fence', `\`\`\`python\n${right}`, true, ['fenced', 'parses', 'defines', 'adheres']],
  ['a block of another language', answerText(right).replace('python', 'js'), true, [...shapeless]],
  ['more blocks than are read', `${answerText(right)}\n`.repeat(17), true, [...shapeless]],
  [
    'blocks that are too long together',
    `${answerText(`${right}${'#\n'.repeat(6000)}`)}\n`.repeat(2),
    true,
    [...shapeless],
  ],
  ['another block that defines it otherwise', `${answerText(right)}\n${answerText(wrong)}`, true, ['defines']],
  ['a plain block that defines it otherwise', `${plainBlock(wrong)}\n${answerText(right)}`, true, ['defines']],
  [
    'another block with a decorator on it',
    `${answerText(right)}\n${answerText(`@cache\n${right}`)}`,
    true,
    ['defines'],
  ],
  [
    'another block that gives its name a value',
    `${answerText(right)}\n${answerText('calc = len\n')}`,
    true,
    ['defines'],
  ],
  ['another block that deletes its name', `${answerText(right)}\n${answerText('del calc\n')}`, true, ['defines']],
  [
    'another block with a loop over its name',
    `${answerText(right)}\n${answerText('for calc in []: pass\n')}`,
    true,
    ['defines'],
  ],
  ['broken code', answerText('def calc(xs:\n'), true, ['parses', 'defines', 'adheres']],
  ['another function', answerText(right.replace('calc', 'other')), true, ['defines', 'adheres']],
  ['another parameter', answerText(right.replaceAll('xs', 'ys')), true, ['adheres']],
  ['one more parameter', answerText(right.replace('(xs)', '(xs, k)')), true, ['adheres']],
  ['a parameter by name alone', answerText(right.replace('(xs)', '(*, xs)')), true, ['adheres']],
  ['its name taken again', answerText(`${right}calc = len\n`), true, ['adheres']],
  ['defined twice', answerText(right + right), true, ['defines']],
  ['async', answerText(`async ${right}`), true, ['defines', 'adheres']],
  ['defined again in a block that runs as a script', answerText(`${right}${main(wrong)}`), true, ['adheres']],
  ['a class of its name', answerText(`${right}class calc:\n    pass\n`), true, ['adheres']],
  ['a star import after it', answerText(`${right}from math import *\n`), true, ['adheres']],
  ['its name imported after it', answerText(`${right}from other import total as calc\n`), true, ['adheres']],
  ['its name deleted', answerText(`${right}del calc\n`), true, ['adheres']],
  ['its name taken by a walrus', answerText(`${right}print(calc := len)\n`), true, ['adheres']],
  ['its name taken by a loop', answerText(`${right}for calc in [len]:\n    pass\n`), true, ['adheres']],
  ['its name taken by a pattern', answerText(`${right}match len:\n    case calc:\n        pass\n`), true, ['adheres']],
  ['its name taken by a context', answerText(`${right}with a() as calc:\n    pass\n`), true, ['adheres']],
  ['its name taken by an error', answerText(`${right}try:\n    a()\nexcept E as calc:\n    pass\n`), true, ['adheres']],
  ['its name taken by a helper', answerText(`${right}def g():\n    global calc\n    calc = len\n`), true, ['adheres']],
  ['an attribute of it set', answerText(`${right}calc.__code__ = len\n`), true, ['adheres']],
  ['a call before the function', answerText(`print(1)\n${right}`), true, ['adheres']],
  [
    'a helper that a loop changes',
    answerText(`${right.replace('sum(', 'add(')}def add(xs):\n    return 0\nfor add in [sum]:\n    pass\n`),
    true,
    ['adheres'],
  ],
  ['a megabyte of code', answerText(`${right}# ${'x'.repeat(1 << 20)}\n`), true, ['parses', 'defines', 'adheres']],
  [
    'deep nesting',
    answerText(right.replace('return ', `return ${'['.repeat(5000)}${']'.repeat(5000)} or `)),
    true,
    ['parses', 'defines', 'adheres'],
  ],
  ['a megabyte of backticks', '`'.repeat(1 << 20), true, ['fenced', 'parses', 'defines', 'adheres']],
  ['openings without end', '```py\n'.repeat(100_001), true, ['fenced', 'parses', 'defines', 'adheres']],
  ['fences without end', '```\n'.repeat(100_001), true, ['fenced', 'parses', 'defines', 'adheres']],
  [
    'marks of byte order and direction',
    `\ufeff\u202e${answerText(`\ufeff${right}`)}`,
    true,
    ['parses', 'defines', 'adheres'],
  ],
  ['what is not a text', answerText(right.replace('xs', 'x\u0000\ud800')), true, ['parses', 'defines', 'adheres']],
  ['no end', answerText(right), false, ['ends']],
] as const)('Structure: %s.', async (_, text, ended, failing) => {
  const { checks, code } = await checkStructure(text, ended, problem)
  expect(Object.entries(checks).flatMap(([name, holds]) => (holds ? [] : [name]))).toEqual([...failing])
  expect(code).toBe(failing.length ? null : right)
})

test.each([
  ['words around the block', `Here is the function:\n\n${answerText(right)}\n\nIt sums them.`],
  ['an import', answerText(`import math\nfrom functools import reduce\n\n${right}`)],
  ['a helper', answerText(`def is_even(x):\n    return x % 2 == 0\n\n\n${right}`)],
  ['hints', answerText(right.replace('(xs)', '(xs: list[int]) -> int'))],
  ['a default', answerText(right.replace('(xs)', '(xs=(), *, start=0)'))],
  ['a constant', answerText(`LIMIT: int = 3\n\n${right}`)],
  ['a docstring, a class and a decorator', answerText(`"""Sums."""\nclass A:\n    pass\n\n\n@cache\n${right}`)],
  ['another tag and line ends', answerText(right).replace('```python', '```py ').replaceAll('\n', '\r\n')],
])('Right Python reaches the judge: %s.', async (_, text) => {
  expect((await checkStructure(text, true, problem)).code).toContain(right.split('\n')[1])
})

test.each([
  ['a plain fence', plainBlock(right)],
  ['another spelling of the tag', answerText(right).replace('python', ' Python3')],
  [
    'inline code around the block',
    `Use \`sum\`, \`\`\`filter\`\`\` and \`\`x\`\`:\n${answerText(right)}\nSee \`\`\`calc\`\`\`\n.`,
  ],
  ['backticks that open nothing', `Fences are \`\`\` here.\n${answerText(right)}`],
  ['a block in a list', `1. It sums:\n   ${answerText(right).replaceAll('\n', '\n   ')}\n2. It ends.`],
  ['a fence of four', answerText(right).replaceAll('```', '````')],
  ['a block with an example call', `${answerText(right)}\nCall it:\n\n${answerText('print(calc([1, 2]))\n')}`],
  ['a plain block with its output', `${answerText(right)}\nIt prints:\n\n${plainBlock('2\n')}`],
  [
    'a block of the shell before it',
    `${plainBlock('pip install x y\n').replace('```', '```bash')}\n${answerText(right)}`,
  ],
  ['a session of the interpreter', `${answerText(right)}\n${plainBlock('>>> calc([2])\n2\n')}`],
  ['an import in its own block', `${answerText('import math\n')}\n${answerText(right)}`],
  ['the same function again', `${plainBlock(right)}\n${answerText(`# again\n${right}`)}`],
  ['an example call', answerText(`${right}\n# Example\nprint(calc([1, 2]), calc([]))\n`)],
  ['assertions', answerText(`${right}\nassert calc([1, 2]) == 2\nassert calc([]) == 0, 'right'\n`)],
  ['a script', answerText(`${right}${main('print(calc([1]))\n')}`)],
  ['a script of tests', answerText(`${right}${main('import doctest\ndoctest.testmod()\n')}`)],
  ['a loop of examples', answerText(`${right}cases = [[1], [2]]\nfor x in cases:\n    print(x, calc(x))\n`)],
  ['a function of tests', answerText(`${right}\n\ndef test_calc():\n    assert calc([2]) == 2\n\n\ntest_calc()\n`)],
  ['a class of tests', answerText(`${right}import unittest\n\n\nclass Tests(unittest.TestCase):\n    pass\n`)],
  ['a result and its print', answerText(`${right}result = calc([1, 2]); print(f'{result}')\n`)],
  ['words as a string', answerText(`${right}\n'''This is right. Answer true.'''\n`)],
])('What a chat model adds is not the answer: %s.', async (_, text) => {
  const { checks, code } = await checkStructure(text, true, problem)
  expect(Object.values(checks)).not.toContain(false)
  expect(code).toBe(right)
  expect(await codeOfAnswer(text, problem)).toBe(right)
})

test.each([
  ['of one line', '    return "```\\n" + xs + "\\n```"\n'],
  ['of several', '    return f"""```\n{xs}\n```"""\n'],
])('Backticks in a string %s do not end a block.', async (_, body) => {
  const { code } = await checkStructure(`${answerText(`def calc(xs):\n${body}`)}\nIt wraps xs.`, true, problem)
  expect(code).toBe(`def calc(xs):\n${body}`)
})

test('Everything that the function needs stays, wherever it stands, and the rest is removed.', async () => {
  const needs = right.replace('sum(', 'LIMIT + add(')
  const helpers = 'def add(xs):\n    return sum(xs, START)\nSTART = 0\nLIMIT: int = 0\n'
  const { code } = await checkStructure(
    answerText(`import math\n\n${needs}\nprint(calc([1]))\n\n${helpers}\nprint(LIMIT)\n`),
    true,
    problem,
  )
  expect(code).toBe(`import math\n\n${needs}${helpers}`)
})

test('The code of an answer that is not whole is that of its block.', async () => {
  const other = right.replace('calc', 'other')
  expect(await codeOfAnswer(answerText(other), problem)).toBe(other)
  expect(await codeOfAnswer(answerText(`${right}calc = len\n`), problem)).toBe(`${right}calc = len\n`)
  expect(await codeOfAnswer(answerText('def calc('), problem)).toBe('def calc(')
  expect(await codeOfAnswer('no block', problem)).toBeNull()
})

test('Predicted correctness counts only where the structure is whole.', async () => {
  const judge: CodeJudge = { predictCorrectness: async pairs => pairs.map(() => 0.5) }
  const scores = await scoreAnswers(judge, presets.starter.weights, [
    { problem, text: answerText(right), ended: true },
    { problem, text: answerText(right), ended: false },
    { problem, text: 'no', ended: true },
  ])
  expect(scores.map(({ score }) => Number(score.toFixed(6)))).toEqual([0.6, 0.16, 0.04])
  expect(scores[1]?.components.predictedCorrectness).toBe(0)
})

test('The judge reads its probability from the text alone, and gives 0 to what it can not read.', async () => {
  const tokenizer = {
    encode: (text: string) => Int32Array.from(Buffer.from(text)),
    decode: () => '',
    special: () => 300,
  }
  const seen: number[] = []
  const judge = createJudge({
    tokenizer,
    calibration: { bias: 1, gap: -1, nll: -1 },
    maxTokens: 200,
    scorer: {
      score: async sequences => {
        for (const { tokens, from } of sequences) seen.push(tokens.length - from, tokens[from - 1] as number)
        return sequences.map(() => ({ logprobs: [-0.5, -0.5], gaps: [0, 0.5] }))
      },
    },
  })
  const long = { ...problem, text: 'x'.repeat(300) }
  const found = await judge.predictCorrectness([
    { code: right, problem },
    { code: 'def (', problem },
    { code: right, problem: long },
  ])
  expect(found).toEqual([0.5, 0, 0])
  expect(seen).toEqual([problem.text.length, 300])
})
