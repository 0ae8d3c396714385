import { expect, test } from 'vitest'
import { decodePath } from './decodePath.ts'

test('a part of a path is decoded, and a malformed one is null', () => {
  expect(['small%20red%20bee', '0xab', '%', '%E0%A4%A', 'bee%00'].map(decodePath)).toEqual([
    'small red bee',
    '0xab',
    null,
    null,
    null,
  ])
})
