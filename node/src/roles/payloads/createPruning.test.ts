import { expect, test } from 'vitest'
import { createPruning } from './createPruning.ts'

test('200 rounds are kept, and a round that lies far ahead deletes nothing until others follow it', () => {
  const keptFrom = createPruning()
  expect([500, 501, 502, 503].map(keptFrom)).toEqual([null, null, 300, 301])
  expect([90_000, 504, 505, 506].map(keptFrom)).toEqual([302, 303, 304, 304])
  expect([90_000, 90_001, 90_002].map(keptFrom)).toEqual([305, 306, 89_800])
})
