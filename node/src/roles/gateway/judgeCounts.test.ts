import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { encodeFileVersion, encodeScalars } from '../metrics/eventFile.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import { createCanaryLog } from './canaryQueue.ts'
import { canaryScalars, withNewest } from './judgeCounts.ts'

const judge = { truePositives: 3, falsePositives: 1, falseNegatives: 1, trueNegatives: 5, calibrationError: 0.1 }
const point = (round: number, name: string, more: Partial<CanaryPoint> = {}): CanaryPoint => ({
  ...{ round, name, peerId: name, peerKey: name, reward: 0.5, predicted: 0.4, passAt1: 0.25, tasks: 5, samples: 10 },
  ...more,
})

test('a round is newest until a later one is measured, and late points of an earlier one are dropped', () => {
  const points = [point(2, 'a'), point(2, 'b'), point(3, 'a'), point(2, 'c'), point(3, 'c')]
  const names = points
    .reduce<readonly CanaryPoint[]>((newest, one) => withNewest(newest, one), [])
    .map(({ round, name }) => [round, name])
  expect(names).toEqual([
    [3, 'a'],
    [3, 'c'],
  ])
})

test('a canary is a line of JSON and an event of TensorBoard, with a curve for each figure of its solver', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-events-'))
  const log = createCanaryLog({ folder, clock: createManualClock(1_700_000_000_000), logger: silentLogger })
  const measured = point(7, 'amber', { judge, families: [{ family: 'write', samples: 4, passed: 3 }] })
  const scalars = canaryScalars(measured)
  expect(scalars).toEqual({
    ...{ 'canary amber/reward': 0.5, 'canary amber/predicted': 0.4, 'canary amber/pass@1': 0.25 },
    ...{ 'canary amber/truePositives': 3, 'canary amber/falsePositives': 1, 'canary amber/falseNegatives': 1 },
    ...{ 'canary amber/trueNegatives': 5, 'canary amber/calibrationError': 0.1 },
    'canary amber/balancedAccuracy': (3 / 4 + 5 / 6) / 2,
    'canary amber/pass@1 of write': 0.75,
  })
  log.note(measured)
  await log.close()
  expect(readFileSync(join(folder, 'canary.jsonl'), 'utf8')).toBe(
    `${JSON.stringify({ at: '2023-11-14T22:13:20.000Z', ...measured })}\n`,
  )
  expect(readFileSync(join(folder, 'tensorboard/events.out.tfevents.1700000000'))).toEqual(
    Buffer.concat([encodeFileVersion(1_700_000_000), encodeScalars(1_700_000_000, 7, scalars)]),
  )
})
