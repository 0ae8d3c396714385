import { expect, test } from 'vitest'
import { danceOf } from './danceOf.ts'

test('a peer dances the same dance for ever, and another peer another one', () => {
  const key = `0x${'40'.repeat(32)}`
  expect(danceOf(key)).toEqual(danceOf(key))
  expect(danceOf(key).angleDeg).toBe(90)
  expect(danceOf(`0x${'41'.repeat(32)}`)).not.toEqual(danceOf(key))
})

test('a malformed key still gives a drawing', () => {
  expect(danceOf('0x').run).toMatch(/^M24 37L[\d. L-]+$/)
})
