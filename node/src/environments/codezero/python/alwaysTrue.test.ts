import { expect, test } from 'vitest'
import { alwaysTrue } from './alwaysTrue.ts'
import { parsePython } from './parsePython.ts'
import type { PythonNode } from './pythonNode.ts'

async function formOf(condition: string): Promise<string | null> {
  const tree = await parsePython(`assert ${condition}`)
  return alwaysTrue(tree?.children[0]?.children[1] as PythonNode)
}

test.each([
  ["(f(1) == 2, 'wrong')", 'a tuple'],
  ['((f(1) == 2,))', 'a tuple'],
  ['{f(1)}', 'a set'],
  ['{1: f(1)}', 'a dictionary'],
  ['(f(x) == 2 for x in [1])', 'a generator'],
  ['f(1) == 2 or 1', 'an or with a constant'],
  ["'always' or f(1)", 'an or with a constant'],
  ['f(1) == 2 or True or f(1) == 3', 'an or with a constant'],
  ['f(1) == 2 or (f(1) == 3 or not False)', 'an or with a constant'],
  ['(f(1) == 2 or -1)', 'an or with a constant'],
  ['f(1) == 2 or 1 == 1', 'an or with a constant'],
  ['f(1) == 2 or [f(1)]', 'an or with a list'],
  ['f(1) == 2 or (lambda: f(1))', 'an or with a lambda'],
])('%s is true for any answer: %s.', async (condition, form) => {
  expect(await formOf(condition)).toBe(form)
})

test.each([
  'f(1) == 2',
  'f((1, 2), [3]) == (1, [2])',
  '(f(1) == (2, 3))',
  '(1, 2) == f(1)',
  'set(f([1])) == set([1])',
  'set(f([1])) == {1}',
  'f(1)',
  '(f(1))',
  'not f(1)',
  'f(1) is True',
  '[x for x in f(1) if x > 0]',
  'all(x in [1, 2] for x in f(1))',
  'sorted(f(1), key=lambda x: -x) == [1]',
  "f('a or True') == 'x'",
  'f(1 or True) == 2',
  'math.isclose(f(1), 2.5, rel_tol=0.001)',
  'abs(f(1) - 2.5) < 1e-6',
  'isinstance(f(1), int) and f(1) > 0',
  'f(1) == 1 or f(1) == 2',
  'f(1) in (1, 2) or f(1) is None',
  'f(1) == 2 or False',
  "f(1) == 2 or None or 0 or ''",
  'f(1) == 2 or []',
  'f(1) == 2 and (f(1) or True)',
])('%s can be false.', async condition => {
  expect(await formOf(condition)).toBeNull()
})
