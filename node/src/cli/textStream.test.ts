import { expect, test } from 'vitest'
import { strangersLine, strangersText } from './textStream.ts'

test.each([
  '\u001b',
  '\u202e',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\ufeff',
  '\u00ad',
  '\u3164',
  '\u{e0041}',
  '\u2028',
  '\u2029',
])('%j of a stranger is made visible', character => {
  expect(strangersText(`a${character}b`)).toBe('a\ufffdb')
})

test('lines, letters and emoji of a stranger stay', () => {
  const text = 'a\tb\nGröße 語 👩🏽\u200d💻 ❤\ufe0f\u200d🔥'
  expect(strangersText(text)).toBe(text)
  expect(strangersLine('a\u2028game 7: \n b')).toBe('a game 7: b')
})
