import fc from 'fast-check'
import { expect, test } from 'vitest'
import { controlTokens } from './controlTokens.ts'

const named = (names: readonly string[]) =>
  controlTokens(names.map((content, id) => ({ id, content, special: true, lstrip: false, rstrip: false })))

const FRAME = ['<u>', '</u>']

test.each([
  [['\n\n'], 'x\n\n\ny'],
  [['ab', 'bc'], 'abc'],
  [['<a>', 'a>'], '<a>'],
  [['aa', 'aaaa'], 'aaaaaaa'],
  [['🐝🐝'], '🐝🐝🐝'],
])('of %j, none is found in %j', (names, text) => {
  const { breakUp, split } = named([...names, ...FRAME])
  expect(split(`<u>${breakUp(text)}</u>`)).toEqual([names.length, text, names.length + 1])
})

test.each([
  [['abX', 'bY'], '', 'ab', 'Y'],
  [['Xab', 'Ya'], 'Y', 'ab', ''],
  [['X>'], 'X', '>', ''],
])('of %j, none is completed by a neighbour: %j, %j, %j', (names, before, text, after) => {
  const { breakUp, split } = named(names)
  expect(split(before + breakUp(text) + after)).toEqual([before + text + after])
})

test("a template's trim takes the space before a text also where runs of spaces are tokens, as in GPT-NeoX", () => {
  const runs = Array.from({ length: 23 }, (_, i) => ' '.repeat(i + 2))
  const { breakUp, split } = named([...runs, ...FRAME])
  expect(split(`<u>${breakUp(' hello').trim()}</u>`)).toEqual([runs.length, 'hello', runs.length + 1])
  expect(breakUp(' '.repeat(1e6))).toHaveLength(2e6)
})

test('no text makes a token of any names, and all comes back', () => {
  const piece = (max: number) => fc.string({ unit: fc.constantFrom('a', 'b', '🐝'), minLength: 2, maxLength: max })
  fc.assert(
    fc.property(fc.array(piece(5), { minLength: 1, maxLength: 4 }), piece(12), (names, text) => {
      const control = named(names.filter(name => [...name].length > 1).concat(FRAME))
      const parts = control.split(`<u>${control.breakUp(text)}</u>`)
      expect(parts).toEqual([expect.any(Number), text, expect.any(Number)])
    }),
  )
})
