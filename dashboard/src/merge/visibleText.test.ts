import { expect, test } from 'vitest'
import { visibleText } from './visibleText.ts'

test.each([
  ['a control character', '\u001b'],
  ['a C1 control character', '\u009b'],
  ['a bidirectional mark', '\u202e'],
  ['a zero-width space', '\u200b'],
  ['a joiner outside emoji', '\u200d'],
  ['a variation selector outside emoji', '\ufe0f'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a Hangul filler', '\u3164'],
  ['a tag character', '\u{e0041}'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
])('%s is made visible', (_, character) => {
  expect(visibleText(`a${character}b`)).toBe('a\ufffdb')
})

test.each(['a\tb\r\n', 'Größe 語', '👩\u200d💻', '👩🏽\u200d💻', '❤\ufe0f\u200d🔥', '☀\ufe0f'])('%j stays', text => {
  expect(visibleText(text)).toBe(text)
})
