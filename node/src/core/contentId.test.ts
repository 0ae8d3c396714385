import { expect, test } from 'vitest'
import { contentId, contentIdYielding } from './contentId.ts'

test('a content id is the sha-256 of the bytes', () => {
  expect(contentId(new TextEncoder().encode('abc'))).toBe(
    '0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test.each([0, 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20])('%i bytes have the same id step by step', async length => {
  const bytes = new Uint8Array(length).fill(7)
  expect(await contentIdYielding(bytes)).toBe(contentId(bytes))
})
