import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Holder } from './holders.ts'
import { createHolderTime } from './holderTime.ts'

const holder = (peerId: string) => ({ peerId, isAuthor: peerId === 'author' }) as Holder

test('a payload was asked for long enough once each peer that must have it has failed, or has had its share of the time', () => {
  const clock = createManualClock(0)
  const holderTime = createHolderTime(clock)
  holderTime.expect([holder('author'), holder('seat')])
  holderTime.begin('author')
  clock.advance(40)
  holderTime.end('author', false)
  expect(holderTime.isEnough(50)).toBe(false)
  holderTime.begin('author')
  clock.advance(10)
  // The seat was not asked.
  expect(holderTime.isEnough(50)).toBe(false)
  holderTime.begin('seat')
  holderTime.end('seat', true)
  expect(holderTime.isEnough(50)).toBe(true)
  expect(holderTime.isEnough(51)).toBe(false)
})

test('holders are not reported if the chain names none, or others answer', () => {
  const holderTime = createHolderTime(createManualClock(0))
  expect(holderTime.isEnough(0)).toBe(false)
  holderTime.begin('a stranger')
  holderTime.end('a stranger', true)
  expect(holderTime.isEnough(0)).toBe(false)
})
