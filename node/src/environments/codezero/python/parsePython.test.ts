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
  String.raw`f"\N{BULLET}{xs}"`,
  String.raw`f"{xs:{'\\'}}{xs}"`,
  String.raw`"\{xs}"`,
])('other backslashes and braces are read: %s', async text => {
  expect(await parsePython(`note = ${text}\n`)).not.toBeNull()
})
