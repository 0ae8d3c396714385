import { expect, test } from 'vitest'
import { hasLetter, textSpeaks } from './speech.ts'

test('Letters beyond ASCII are those of fixed blocks, whatever the version of Unicode assigns', () => {
  expect(textSpeaks('\u{378}\u{379}\u{37a}')).toBe(true)
  expect(hasLetter('\u{378}')).toBe(true)
  expect(hasLetter('\u2192 \u2588 \u{1f600} \u201c\u201d')).toBe(false)
})

test('Characters that look like plain ones are read as those, if they are older than Unicode 6', () => {
  const spelt = (from: number) => [...'correct'].map(of => String.fromCodePoint(from + of.charCodeAt(0) - 97)).join(' ')
  // Wide, mathematical and circled letters, and outlined ones of Unicode 16.
  expect([0xff41, 0x1d41a, 0x24d0].map(spelt).map(textSpeaks)).toEqual([true, true, true])
  expect(textSpeaks(spelt(0x1ccd6))).toBe(false)
})
