import { expect, test } from 'vitest'
import type { CanaryPoint } from '#sources/gateway.ts'
import { familyRows } from './familyRows.ts'

const point = (round: number, families?: [string, number, number][]): CanaryPoint => ({
  ...{ round, peerKey: '0xa', peerId: 'a', name: 'a', reward: 1, predicted: 1, passAt1: 1, tasks: 5, samples: 10 },
  ...(families && { families: families.map(([family, samples, passed]) => ({ family, samples, passed })) }),
})

test('each family has its share of the newest answers of all solvers, and of the first', () => {
  const points = [
    point(0),
    point(5, [['write', 4, 1]]),
    point(10, [['write', 4, 2]]),
    point(10, [
      ['write', 4, 4],
      ['repair', 2, 1],
    ]),
  ]
  expect(familyRows(points)).toEqual({
    ...{ firstRound: 5, newestRound: 10 },
    rows: [
      { family: 'repair', first: null, newest: 0.5, samples: 2 },
      { family: 'write', first: 0.25, newest: 0.75, samples: 8 },
    ],
  })
})

test('gateways of earlier releases and environments without families have none', () => {
  expect(familyRows([point(1), point(2, [])])).toBeNull()
})
