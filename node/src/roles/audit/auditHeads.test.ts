import { expect, test } from 'vitest'
import { faultOfHead, isOld, requireAlike } from './auditHeads.ts'

const NOW_SEC = 1_800_000_000
const [PUBLIC, LOCAL] = [{ chainId: 11_155_111 }, { chainId: 31_337 }]
const first = { number: 100, timeSec: NOW_SEC - 10_000 }
const headOf = (number: number, agoSec: number) => ({
  ...{ number, timeSec: NOW_SEC - agoSec, hash: '0x1', atMs: NOW_SEC * 1000 },
})

test('a newest block that no chain can have is a fault', () => {
  expect(faultOfHead(headOf(5_100, 0), first, PUBLIC)).toBe(null)
  expect(faultOfHead(headOf(2 ** 50, 0), first, PUBLIC)).toBe(
    'a newest block 1125899906842624 of 2027-01-15T08:00:00.000Z, when block 100 was of 2027-01-15T05:13:20.000Z',
  )
  const year = -31_536_000
  expect(faultOfHead(headOf(5_100, year), first, PUBLIC)).toContain('which is still to come')
  expect(faultOfHead(headOf(5_100, -(2 ** 52)), first, PUBLIC)).toContain('which is still to come')
})

test('a local chain may be ahead of the clock, and may stand still', () => {
  const week = 604_800
  expect(faultOfHead(headOf(5_100, -week), first, LOCAL)).toBe(null)
  expect(isOld(headOf(5_100, week), LOCAL)).toBe(false)
  expect(isOld(headOf(5_100, week), PUBLIC)).toBe(true)
  expect(isOld(headOf(5_100, 600), PUBLIC)).toBe(false)
})

test('an endpoint that is far behind another is an error, and one that lags by a few blocks is not', () => {
  const endpoints = (blocks: number, agoSec: number) => [
    { rpcUrl: 'http://a', head: headOf(5_000, 0) },
    { rpcUrl: 'http://b', head: headOf(5_000 - blocks, agoSec) },
  ]
  expect(() => requireAlike(endpoints(10, 120))).not.toThrow()
  // A chain that stood still for an hour, and one block that only one of them has.
  expect(() => requireAlike(endpoints(1, 3_600))).not.toThrow()
  // A fast chain.
  expect(() => requireAlike(endpoints(60, 15))).not.toThrow()
  expect(() => requireAlike(endpoints(17, 121))).toThrow(
    'The endpoints are far apart: http://b is at block 4983 of 2027-01-15T07:57:59.000Z, and http://a is at block 5000 of',
  )
})
