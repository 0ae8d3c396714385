import { expect, test } from 'vitest'
import { appealLabel } from './appealLabel.ts'
import { appealText } from './appealText.ts'

const jury = (drawn: number, votes = 0, scoreMilli = 0) => ({
  drawn,
  openedMilli: Array<number>(votes).fill(scoreMilli),
})
const open = { settledMilli: 1_000, finalMilli: null, isClosed: false, isMoot: false }
const closed = { ...open, finalMilli: 0, isClosed: true }
const first = jury(11, 6, 0)

test('an open appeal names what is appealed, and to how many seats', () => {
  const of = (...items: (typeof first)[]) => appealText({ ...open, appeals: { items } })
  expect(of(jury(11))).toBe('Its 1.00 points are appealed to 11 seats')
  expect(of(first, jury(23))).toBe('11 seats replaced 1.00 points by 0.00; its 0.00 points are appealed to 23 seats')
})

test('the result of an appeal names the jury that it follows', () => {
  const of = (finalMilli: number, ...items: (typeof first)[]) =>
    appealText({ ...closed, finalMilli, appeals: { items } })
  expect(of(0, first)).toBe('11 seats replaced 1.00 points by 0.00')
  expect(of(1_000, jury(11, 6, 1_000))).toBe('11 seats let its 1.00 points stand')
  expect(of(1_000, jury(11))).toBe('11 seats came to no verdict on its 1.00 points')
  expect(of(0, first, jury(23))).toBe(
    '11 seats replaced 1.00 points by 0.00; 23 seats came to no verdict on its 0.00 points',
  )
  expect(of(1_000, first, jury(23, 12, 1_000))).toBe(
    '11 seats replaced 1.00 points by 0.00; 23 seats replaced 0.00 points by 1.00',
  )
})

test('a verdict on a round that was lost names its jury too, whose seats it judged', () => {
  expect(appealText({ ...closed, isMoot: true, appeals: { items: [first] } })).toBe(
    '11 seats replaced 1.00 points by 0.00; the round was lost for another reason, and its points with it',
  )
})

test('an appeal of a verdict never names the settled score, which the verdict may have replaced', () => {
  const score = { round: 7, scoreMilli: 1_000 }
  const ruling = { seats: 11, appealedMilli: 1_000, standingMilli: 0, isReached: true }
  expect(appealLabel({ ...score, ruling: null }, 1)).toBe('Appeal 1000 of round 7')
  expect(appealLabel({ ...score, ruling }, 2)).toBe('Appeal the verdict of 11 seats on round 7, which found 0')
  expect(appealLabel({ ...score, ruling: { ...ruling, standingMilli: 1_000 } }, 2)).toContain('let 1000 stand')
  const unknown = 'Appeal the jury’s verdict on round 7'
  expect(appealLabel({ ...score, ruling: null }, 2)).toBe(unknown)
  expect(appealLabel({ ...score, ruling: { ...ruling, isReached: false } }, 2)).toBe(unknown)
})
