import { expect, test } from 'vitest'
import { parsePython } from './parsePython.ts'

test.each([
  String.raw`rf"\{xs.pop()}"`,
  String.raw`f"\{xs.pop()}"`,
  String.raw`rf"\{{{xs.clear()}}}"`,
  String.raw`f"{xs} \\\{xs.pop()}"`,
  String.raw`f'''{xs:\{xs.pop()}} \{xs}'''`,
  String.raw`'a' f"\{xs.pop()}"`,
])('a call that the parser takes for text is not read: %s', async text => {
  expect(await parsePython(`note = ${text}\n`)).toBeNull()
})

test.each([
  String.raw`f"\\{xs}"`,
  String.raw`rf"\\{xs}"`,
  String.raw`f"\\{{x}}"`,
  String.raw`rf"\d{{2}}{xs}"`,
  String.raw`f"{xs:{'\\'}}{xs}"`,
  String.raw`"\{xs}"`,
])('other backslashes and braces are read: %s', async text => {
  expect(await parsePython(`note = ${text}\n`)).not.toBeNull()
})

test.each([
  'if xs:\n    pass\n\\\n    xs.clear()\n',
  'if xs:\n    pass\n    \\\n  xs.clear()\n',
  'if xs:\n        pass\n\txs.clear()\n',
])('an indentation that Python reads otherwise is not read: %j', async code => {
  expect(await parsePython(code)).toBeNull()
})

test.each([
  'if xs:\n\tpass\nelse:\n\tpass\n',
  'x = [\n\t1,\n    2]\nif xs:\n    pass\n',
  'if xs:\n    # \\\n    pass\n\t# none\n',
  'x = 1 + \\\n\t2\nif xs:\n    """\n\ttext\n    """\n',
])('tabs and spaces are read where no block begins with both: %j', async code => {
  expect(await parsePython(code)).not.toBeNull()
})
