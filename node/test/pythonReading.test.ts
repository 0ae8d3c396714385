import { afterAll, expect, test } from 'vitest'
import { canonicalCode } from '../src/environments/codezero/canonical/canonicalCode.ts'
import type { CodeJudge } from '../src/environments/codezero/judge/createJudge.ts'
import { presets } from '../src/environments/codezero/presets.ts'
import { answerText } from '../src/environments/codezero/prompts.ts'
import { shownCode } from '../src/environments/codezero/python/shownCode.ts'
import { scoreAnswers } from '../src/environments/codezero/scoreAnswers.ts'
import { createSandbox } from '../src/sandbox/createSandbox.ts'

const sandbox = createSandbox({ caseTimeoutMs: 30_000 })
afterAll(() => sandbox.close())

const problem = { name: 'f', parameters: ['xs'], text: 'Return the sum of the numbers in xs.' }
const right = 'def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t\n'
const before = (line: string) => `${line}\n${right}`
const within = (line: string) => right.replace('\n', `\n    ${line}\n`)
const headed = (header: string) => right.replace('(xs)', header)
const verdict = async (code: string) =>
  (await sandbox.runTests([{ code, tests: [{ expression: 'f([1, 2, 4])', expected: '7' }] }]))[0]

/** Takes all code for right that it can read. */
const trusting = (read: typeof canonicalCode | typeof shownCode): CodeJudge => ({
  predictCorrectness: async pairs => {
    const codes = await Promise.all(pairs.map(({ code, problem: asked }) => read(code, { ...problem, ...asked })))
    return codes.map(code => (code === null ? 0 : 1))
  },
})
const predicted = async (judge: CodeJudge, code: string) => {
  const answer = { problem, text: answerText(code), ended: true }
  const [score] = await scoreAnswers(judge, presets.starter.weights, [answer])
  return score?.components.predictedCorrectness
}

/** Failures that the starter's judge would not see. */
const hidden = [
  ...[
    'import zzz',
    'z = int("")',
    'class Z:\n    raise ValueError',
    'def z(a=int("")): pass',
    '@zzz\ndef z(): pass',
  ].map(before),
  ...['(xs=int(""))', '(xs=None.x)', '(xs=[][0])', '(xs=f)'].map(headed),
  ...['(xs: (yield))', '(xs) -> (await xs)', '(xs: (y := 1))'].map(headed),
  within('a, b: int = 1, 2'),
]

/** Failures that no judge would see. */
const malformed = [
  ...['"\\x"', 'b"é"', '012'].map(before),
  ...['(xs=012)', "(xs: '\\x')", "(xs=b'é')"].map(headed),
  ...['"""C:\\users"""', '"\\x4"', '"\\U00110000"', '"\\N{zzz}"', 'b"\\x"', '"a" b"b"', 'f"}"', '(None, "\\u12")'].map(
    within,
  ),
  ...['0777', '00_1', '1__0', '1.real', `1${'0'.repeat(5_000)}`, '"a\\"', 'r"\\"', '# \0', 'a€ = 1'].map(within),
  'def f(xs):\n        t = 0\n\treturn t + sum(xs)\n',
  'def f(xs):\n    return 7 + \\\n\n    sum(xs)\n',
  'def f(xs):\n    return 7 + sum(xs)\n    # \r    return sum(xs)\n',
  'def f(xs):\n    if not xs:\n        return 7\n\f    return 7 + sum(xs)\n',
]

/** Names that Python takes for other ones than the parser does. */
const lookAlike = [
  within('\uff58\uff53 = []'),
  `${right}a = \uff46 = len\n`,
  right
    .replace('t = 0', 't = 0; \u00aa = 1')
    .replace('t += x', 't += x; a = 5')
    .replace('return t', 'return t + \u00aa'),
  right.replace('t = 0', 't = 0; \u00e9 = 1; e\u0301 = 7').replace('return t', 'return t + \u00e9 - 1'),
]

/** Code that Python reads as every judge does. */
const plain = [
  right,
  ...['"""Sums."""', 'pass', "# any 'comment'"].map(before),
  ...['"""Sums.\n\n\ta\\tb\\n \\x41\\u00e9\\U0001f600 \\\\x \\\n    """', "r'\\x' R'\\N' u''", 'b"\\x41" rb"\\x"'].map(
    within,
  ),
  ...[
    '00',
    '1_000',
    '0xFf',
    '0o17',
    '0B1',
    '.5',
    '1e5',
    '1_0.5e-1_0j',
    '077j',
    '077.5',
    '"a" \'b\'',
    "f'{{}}' 'a'",
  ].map(within),
  ...['é = 1', 'λ, ж, 中 = 1, 2, 3'].map(within),
  ...['(xs: list[int] | None) -> int', '(xs: t.List[t.Any])', '(xs: dict[str, int])'].map(headed),
  right.replaceAll('    ', '\t'),
  right.replace('t += x', 't += (x +\n\t0)'),
  right.replace('t += x', 't += x + \\\n  0'),
]

test.each(hidden)("Code whose failure the starter's judge would not see is worth nothing: %j", async code => {
  expect(await verdict(code)).toBe('error')
  expect(await predicted(trusting(canonicalCode), code)).toBe(0)
})

test.each(malformed)(
  'Code that Python refuses, or reads otherwise, and a judge would not see is worth nothing: %j',
  async code => {
    expect(await verdict(code)).not.toBe('pass')
    expect(await predicted(trusting(canonicalCode), code)).toBe(0)
    expect(await predicted(trusting(shownCode), code)).toBe(0)
  },
)

test.each(lookAlike)('Code with another name in other letters is worth nothing: %j', async code => {
  expect(await verdict(code)).not.toBe('pass')
  expect(await predicted(trusting(canonicalCode), code)).toBe(0)
  expect(await predicted(trusting(shownCode), code)).toBe(0)
})

test.each(plain)('Plain code is read: %j', async code => {
  expect(await verdict(code)).toBe('pass')
  expect(await predicted(trusting(shownCode), code)).toBe(1)
})

test('A name without a value is shown, and does not become a `pass`.', async () => {
  expect(await shownCode(within('t'), problem)).toBe(within('t'))
})
