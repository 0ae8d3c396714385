import { expect, test } from 'vitest'
import { contentId } from './contentId.ts'

test('a content id is the sha-256 of the bytes', () => {
  expect(contentId(new TextEncoder().encode('abc'))).toBe(
    '0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
