import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { calibrationBins, calibrationError } from '#environments/judgeFigures.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { CanaryPoint } from './canaryPoint.ts'
import { newestAgreement } from './newestAgreement.ts'
import { readAgreement } from './readAgreement.ts'

const judge = { truePositives: 3, falsePositives: 1, falseNegatives: 1, trueNegatives: 5, calibrationError: 0.1 }
const point = (round: number, name: string, more: Partial<CanaryPoint> = {}): CanaryPoint => ({
  ...{ round, name, peerId: name, peerKey: name, reward: 0.5, predicted: 0.4, passAt1: 0.25, tasks: 5, samples: 10 },
  ...more,
})

test('the canaries of the newest round say together how the judge fits execution', () => {
  expect(newestAgreement([point(1, 'a')])).toBeNull()
  const other = {
    ...judge,
    truePositives: 5,
    falseNegatives: 1,
    trueNegatives: 2,
    falsePositives: 2,
    calibrationError: 0.3,
  }
  const agreement = newestAgreement([
    point(1, 'a', { judge: other }),
    point(2, 'a', { judge }),
    point(2, 'b', { judge: other }),
  ])
  expect(agreement).toMatchObject({ round: 2, solvers: 2, answers: 20, truePositives: 8, falsePositives: 3 })
  expect(agreement?.balancedAccuracy).toBeCloseTo((0.8 + 0.7) / 2)
  expect(agreement?.calibrationError).toBeCloseTo(0.2)
  const allWrong = { ...judge, truePositives: 0, falseNegatives: 0 }
  // A judge that calls everything wrong would have one half.
  expect(newestAgreement([point(2, 'a', { judge: allWrong })])?.balancedAccuracy).toBeNull()
})

test("the calibration error is that of all solvers' answers, and not the mean of the errors by chance of each", () => {
  const random = seededRandom('calibrated')
  const solvers = Array.from({ length: 20 }, () => {
    const predicted = Array.from({ length: 20 }, random.next)
    return { predicted, isRight: predicted.map(p => random.chance(p)) }
  })
  const points = solvers.map(({ predicted, isRight }, at) => {
    const figures = {
      calibrationError: calibrationError(predicted, isRight),
      bins: calibrationBins(predicted, isRight),
    }
    return point(2, `${at}`, { samples: 20, judge: { ...judge, ...figures } })
  })
  const all = calibrationError(
    solvers.flatMap(({ predicted }) => predicted),
    solvers.flatMap(({ isRight }) => isRight),
  )
  expect(newestAgreement(points)?.calibrationError).toBeCloseTo(all, 9)
  expect(all).toBeLessThan(0.06)
  // A point of an earlier release counts by its own error.
  const mixed = [...points, point(2, 'old', { samples: 400, judge: { ...judge, calibrationError: 0.2 } })]
  expect(newestAgreement(mixed)?.calibrationError).toBeCloseTo((all + 0.2) / 2, 9)
})

test("status reads them from a gateway's journal", () => {
  const path = join(mkdtempSync(join(tmpdir(), 'waggle-agreement-')), 'node.db')
  const db = openDatabase(path)
  const journal = createJournal(db, createManualClock())
  journal.set(3, 'report', { tasks: 1 })
  expect(readAgreement(path)).toBeNull()
  journal.set(2, 'measured a', point(2, 'a', { judge }))
  journal.set(3, 'measured a', point(3, 'a', { judge: { ...judge, falseNegatives: 0 }, samples: 9 }))
  const found = readAgreement(path)
  db.close()
  expect(found).toMatchObject({ round: 3, answers: 9, falseNegatives: 0 })
})
