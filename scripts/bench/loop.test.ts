import { expect, test } from 'vitest'
import { said } from './loop.ts'

const peer = { role: 'solver', startedMs: 500, count: 9, seconds: 4, turns: [] }

test('turns of peers that never said when they started are unknown, and not 0 ms', () => {
  expect(said([], [peer], 'at all').value).toBe(0)
  expect(said([], [peer, { ...peer, startedMs: null }], 'at all')).toEqual({
    ...{ value: null, conditions: '1 of 2 peers did not say when they had started' },
  })
  expect(said([], [], 'at all').value).toBeNull()
})
