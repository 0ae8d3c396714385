import { expect, test } from 'vitest'
import { governanceLines } from './governanceLines.ts'

const found = {
  ...({ timelock: '0x1', delaySec: 60, holds: { nectar: '3512.546383624543778784', coin: '0' } } as const),
  bootstrap: { rounds: 1_008, startsAtSec: 1_800_000_000, endsAtSec: 1_800_604_800 },
  ...({ round: 7, roundSeconds: 25, environment: '0x2', bootnodes: [] } as const),
  powers: [
    { contract: 'Rounds', role: 'ENVIRONMENT_MANAGER_ROLE', holder: 'TimelockController' },
    { contract: 'PrgMarket', role: 'owner', holder: '0x3' },
  ],
  waiting: [],
} as unknown as Parameters<typeof governanceLines>[0]

test('the powers of a deployment stand in lines, with amounts that can be read', () => {
  expect(governanceLines(found)).toEqual([
    'timelock     0x1, with a delay of 60 s',
    'holds        3512.5463 Nectar, 0 of the native coin',
    'round        7, of 25 s',
    'bootstrap    1008 rounds, from 2027-01-15T08:00:00.000Z to 2027-01-22T08:00:00.000Z',
    'environment  0x2',
    'bootnodes    none',
    'powers',
    '  Rounds ENVIRONMENT_MANAGER_ROLE  TimelockController',
    '  PrgMarket owner                  0x3',
    'proposals    none are open',
  ])
})
