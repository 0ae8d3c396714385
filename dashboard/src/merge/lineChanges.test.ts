import { expect, test } from 'vitest'
import { lineChanges } from './lineChanges.ts'

test('lines are kept, gone or new, and the end of a text changes nothing', () => {
  const told = lineChanges('def f(xs):\n  a\n  return 1', 'def f(xs):\n  return 1\n  b\n')
  expect(told.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    'kept def f(xs):',
    'gone   a',
    'kept   return 1',
    'new   b',
  ])
  expect(lineChanges('a', 'a\n').map(({ kind }) => kind)).toEqual(['kept'])
})

test('a line that would be read in another order shows why', () => {
  expect(lineChanges('a \u202e- b', 'a - b').map(({ line }) => line)).toEqual(['a \ufffd- b', 'a - b'])
})

test('for texts with little in common, all lines of one are removed and all of the other added', () => {
  const text = (word: string) => ['same', ...Array.from({ length: 3_000 }, (_, at) => `${word} ${at}`)].join('\n')
  const kinds = Map.groupBy(lineChanges(text('a'), text('b')), ({ kind }) => kind)
  expect([kinds.get('kept'), kinds.get('gone')?.length, kinds.get('new')?.length]).toEqual([undefined, 3_001, 3_001])
})
