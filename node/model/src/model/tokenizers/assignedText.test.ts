import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { assignedText } from './assignedText.ts'

test('a text keeps what Unicode 16 assigns, and its other characters and lone surrogates become U+FFFD', () => {
  const kept = "x² ＝ größer 漢字 '\u{1c89}\u{1fae9}\u{10d4a}\ue000\u{10fffd}\ufeff\u0085"
  expect(assignedText(kept)).toBe(kept)
  // A letter and an emoji of Unicode 17, one that Unicode 17 made a letter of another kind, one that no version assigns, and a noncharacter.
  expect(assignedText('a\u{11db0}b\u{1faea}\u0295c\u0378\uffff')).toBe('a\ufffdb\ufffd\ufffdc\ufffd\ufffd')
  expect(assignedText('\ud800a\udc00\ud83e')).toBe('\ufffda\ufffd\ufffd')
  expect(assignedText('plain')).toBe('plain')
})

/** Properties by which rules of tokenizers tell characters apart. */
const PROPERTIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co'.split(' ')

test('characters that are kept have the properties that they have in Unicode 16', () => {
  const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point))
  const kept = points.filter(character => assignedText(character) === character).join('')
  const hash = createHash('sha256')
  for (const name of [...PROPERTIES, 'White_Space', 'Alphabetic', 'Script=Han'])
    hash.update(`${name} ${kept.match(new RegExp(`\\p{${name}}`, 'gu'))?.join('')}\n`)
  expect(hash.digest('hex')).toBe('24f4753bfba5dd0259dae073c1060864b9ceff420eb2679148f0872a368a7d4a')
})
