import { expect, test } from 'vitest'
import { faultOfHead, isOld, requireRecent } from './auditHeads.ts'

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
  const isOldAfter = (seconds: number, chain: typeof PUBLIC) => isOld(NOW_SEC - seconds, NOW_SEC * 1000, chain)
  expect(isOldAfter(week, LOCAL)).toBe(false)
  expect(isOldAfter(3_601, PUBLIC)).toBe(true)
  expect(isOldAfter(3_600, PUBLIC)).toBe(false)
})

test('an audited block far below the newest of an endpoint is an error, and one that a lag of a few blocks leaves is not', () => {
  const endpointAt = (number: number) => ({ rpcUrl: `http://${number}`, head: headOf(number, 0) })
  const [recent, behind] = [endpointAt(5_000), endpointAt(4_981)]
  const check = (blocks: number, seconds: number) => () =>
    requireRecent(recent, headOf(recent.head.number - blocks, seconds), 3, behind)
  expect(check(10, 600)).not.toThrow()
  expect(check(19, 600)).not.toThrow()
  // A chain that stood still for an hour, and one block that only one of them has.
  expect(check(4, 3_600)).not.toThrow()
  // A fast chain.
  expect(check(60, 120)).not.toThrow()
  // The time of the other one does not count: it may be false.
  expect(check(22, 121)).toThrow(
    'The endpoints are far apart: the newest block of http://4981 is 4981, and that of http://5000 is 5000, 121 s after block 4978.',
  )
})
