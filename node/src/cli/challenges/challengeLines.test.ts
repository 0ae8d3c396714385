import { expect, test } from 'vitest'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { peerName } from '#core/peers/peerName.ts'
import { challengeLines } from './challengeLines.ts'

const peerKey = `0x${'1'.repeat(64)}` as PeerKey
const peerId = '16Uiu2HAmSolver'
const account = `0x${'2'.repeat(40)}` as AccountAddress
const bondWei = '2000000000000000'
const demand = {
  ...{ peerKey, peerId, round: 7, index: 3, challenger: account, bondWei, throughRound: 9 },
  state: 'open' as const,
}
const appeal = {
  ...{ peerKey, peerId, round: 6, level: 1, openedRound: 9, appellant: account, bondWei, drawn: 3, closesFrom: 12 },
  ...{ isClosed: false, settledOutcome: 'scored' as const, settledMilli: 1_500, finalMilli: 1_500 },
}
const owed = { account, credit: '0.0012345678', creditWei: '1234567800000000' }

test('cases name the peer, and a closed one is not listed as open', () => {
  const closed = { ...appeal, level: 2, round: 5, isClosed: true, finalMilli: 2_000 }
  const name = peerName(peerId)
  expect(challengeLines({ round: 10, demands: [demand], appeals: [appeal, closed], ...owed })).toEqual([
    'open',
    `  demand for leaf 3 of ${name} in round 7: can be closed: npx waggle challenge close; bond 0.002 of the native coin`,
    `  appeal for ${name} in round 6: a score of 1.500; is closed from round 12 on; bond 0.002 of the native coin`,
    'closed',
    `  second appeal for ${name} in round 5: from 1.500 to 2.000; bond 0.002 of the native coin`,
    'owed   0.0012 of the native coin: npx waggle challenge withdraw',
    'the current round is 10; the last 12 are searched',
  ])
})

test('no case is said so, and a peer without a name is shown by its key', () => {
  const nothing = { round: 10, appeals: [], account: null, credit: null, creditWei: null }
  expect(challengeLines({ ...nothing, demands: [] }).slice(0, 2)).toEqual(['open none', 'closed none'])
  const shown = { ...demand, peerId: null, state: 'shown' as const }
  expect(challengeLines({ ...nothing, demands: [shown] })[2]).toContain(`${peerKey} in round 7: the leaf was shown`)
})

test('a peer without a score is not said to have a score of 0', () => {
  const missing = { ...appeal, settledOutcome: 'unavailable' as const, settledMilli: 0, finalMilli: 0 }
  const upheld = { ...missing, isClosed: true, finalMilli: 681 }
  const stood = { ...missing, isClosed: true }
  const said = challengeLines({ round: 10, demands: [], appeals: [missing, upheld, stood], ...owed }).join('\n')
  expect(said).toMatch(/: no score; is closed .*: from no score to 0\.681; .*: it still has no score; /s)
  expect(said).not.toContain('0.000')
})
