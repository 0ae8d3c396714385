import { expect, test } from 'vitest'
import type { CanaryPoint } from '#sources/gateway.ts'
import { agreement, newestJudge } from './judgeAgreement.ts'

const judge = { truePositives: 3, falsePositives: 1, falseNegatives: 2, trueNegatives: 4, calibrationError: 0.1 }
const point = (round: number, judged?: typeof judge): CanaryPoint => ({
  ...{ round, peerKey: '0xa', peerId: 'a', name: 'a', reward: 1, predicted: 1, passAt1: 1, tasks: 5, samples: 10 },
  ...(judged && { judge: judged }),
})

test('the judge agrees with execution on a share of the answers, and on none without answers', () => {
  expect(agreement(judge)).toBe(0.7)
  expect(agreement({ truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 })).toBeNull()
})

test("the newest round's canaries are counted together, and those of earlier releases not at all", () => {
  const { calibrationError, ...counts } = judge
  expect(newestJudge([point(2)])).toBeNull()
  expect(newestJudge([point(1, judge), point(2, judge), point(2), point(3)])).toEqual({ round: 2, ...counts })
  expect(newestJudge([point(2, judge), point(2, judge)])).toMatchObject({ truePositives: 6, falseNegatives: 4 })
})
