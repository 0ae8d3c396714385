import { expect, test } from 'vitest'
import { releasesOf } from './releasesOf.ts'

test('releases have the newest first', () => {
  expect(releasesOf({ '0.9.0': 2, '0.10.1': 1 })).toBe('0.10.1 (1), 0.9.0 (2)')
  expect(releasesOf({})).toBe(null)
})
