import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Holder } from './holders.ts'
import { createLooked } from './looked.ts'

const holder = (peerId: string) => ({ peerId, isAuthor: peerId === 'author' }) as Holder

test('a payload was looked for once each peer that must have it has failed, or has had its share of the time', () => {
  const clock = createManualClock(0)
  const looked = createLooked(clock)
  looked.expect([holder('author'), holder('seat')])
  looked.begin('author')
  clock.advance(40)
  looked.end('author', false)
  expect(looked.isEnough(50)).toBe(false)
  looked.begin('author')
  clock.advance(10)
  // The seat was not asked.
  expect(looked.isEnough(50)).toBe(false)
  looked.begin('seat')
  looked.end('seat', true)
  expect(looked.isEnough(50)).toBe(true)
  expect(looked.isEnough(51)).toBe(false)
})

test('where the chain names nobody, or others answer, nothing is told', () => {
  const looked = createLooked(createManualClock(0))
  expect(looked.isEnough(0)).toBe(false)
  looked.begin('a stranger')
  looked.end('a stranger', true)
  expect(looked.isEnough(0)).toBe(false)
})
