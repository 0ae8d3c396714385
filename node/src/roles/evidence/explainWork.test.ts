import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { PeerRound } from '#chain/rounds/readPeerRound.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
import { findPeer } from '../findPeer.ts'
import { explainSeat } from './explainSeat.ts'
import { explainAnswers, explainIdle, explainTasks, explainVotesOf } from './explainWork.ts'
import type { Seat, Work } from './work.ts'

const word = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const nothing: PeerRound = {
  hasSecret: false,
  ...{ tasks: [], sealed: [], demanded: [], shown: [], withheld: [], falseLeaves: [], appealed: [], verdicts: [] },
  ...{ closed: [], opened: [], tasksPaid: [], secretWithheld: false },
  ...{ judged: [], seatPaid: [], blamed: [], misses: null },
}
const commitment = {
  ...{ peerKey: word(1), ordinal: 35, root: word(2), count: 64, policyHash: word(3) },
  contentId: word(4),
  block: 9,
}
const seat = (voteMilli: number | null, of: Partial<Seat> = {}): Seat => ({
  ...{ evaluatorKey: word(7), voteMilli, isSealed: true, isOwn: false, scored: null, ...of },
})
const settled = (outcome: Settlement['outcome'], scoreMilli = 0, votes = 3): Settlement => ({
  ...{ peerKey: word(1), scoreMilli, votes, outcome, block: 20 },
})

/** A peer whose answers of round 5 were settled at 500 and are final, but for what is told otherwise. */
function work({ told, ...changes }: Partial<Omit<Work, 'told'>> & { told?: Partial<PeerRound> } = {}): Work {
  return {
    ...{ round: 5, currentRound: 12, countsFrom: 0, beacons: { own: 'drawn', before: 'drawn' } as const },
    ...{
      commitment,
      namedPolicy: commitment.policyHash,
      seats: [seat(500)],
      settlement: settled('scored', 500),
      duties: [],
      refuted: null,
    },
    ...changes,
    told: { ...nothing, ...told },
  }
}
const without = { scoreMilli: UNAVAILABLE, leaves: [] }
const said = (changes: Parameters<typeof work>[0]) => explainAnswers(work(changes), () => 'a seat').join('\n')

test.each([
  ['in a later round', { currentRound: 4 }, 'Round 5 has not begun; the chain is in round 4.'],
  ['with a key that is too young', { countsFrom: 6 }, 'counts from round 6 on'],
  ['that did not commit', { commitment: null }, 'It committed no answers'],
  ['that can still commit', { commitment: null, currentRound: 5 }, 'it can until the round ends'],
  ['that named nothing', { namedPolicy: null }, 'Sampling refuted: it had named no policy before the round'],
  ['that swapped its policy', { namedPolicy: word(8) }, 'Sampling refuted: it had named another policy before'],
  [
    'over a base that is not paid',
    { refuted: 'unpaid base: its base 0x66 is none' },
    "Sampling refuted, as this folder's node found: unpaid base: its base 0x66 is none.",
  ],
  ['of the running round', { currentRound: 5, settlement: null }, 'is drawn after it.'],
  [
    'before the beacon',
    { currentRound: 6, seats: [], settlement: null, beacons: { own: 'none', before: 'drawn' } },
    'Its beacon is not recorded yet',
  ],
  ['where nobody sat', { seats: [], settlement: settled('no quorum') }, 'No evaluator had a seat'],
  ['that is drawn', {}, 'Drawn to score it: a seat.'],
  ['that is being scored', { currentRound: 6, seats: [seat(null)], settlement: null }, 'a seat has sealed its vote'],
  [
    'of a late seat',
    { currentRound: 6, seats: [seat(null, { isSealed: false })], settlement: null },
    'has not sealed a vote yet',
  ],
  ['of a silent seat', { seats: [seat(null)] }, 'did not open the vote that it had sealed'],
  ['of an absent seat', { seats: [seat(null, { isSealed: false })] }, 'a seat sealed no vote'],
  ['of an own seat', { seats: [seat(900, { isOwn: true })] }, 'voted 0.900; the peer and this seat have one account'],
  ['that nobody could get', { seats: [seat(UNAVAILABLE)] }, "abstained: 'unavailable', which is not a score of 0"],
  [
    'over a base that a seat lacks',
    { seats: [seat(500), seat(UNAVAILABLE, { scored: { peerKey: word(1), ...without, lacksBase: word(0x66) } })] },
    `1 of 2 seats cannot check base ${word(0x66)}: they do not hold it`,
  ],
  ['that is not settled yet', { currentRound: 7, settlement: null }, 'It is settled in round 8.'],
  ['that nobody settled', { settlement: null }, 'It was not settled in round 8'],
  ['that is scored', {}, 'Settled as scored: 0.500, the lower median of 3 votes'],
  [
    'that was unavailable',
    { settlement: settled('unavailable') },
    "more than half of 3 votes were 'unavailable', so that the answers got no score",
  ],
  ['without a quorum', { settlement: settled('no quorum', 0, 1) }, 'Settled without a quorum: 1 votes'],
  [
    'of a void round',
    { settlement: settled('void'), beacons: { own: 'drawn', before: 'void' } },
    'the beacon of round 4 was never recorded',
  ],
  [
    'that is demanded',
    { currentRound: 7, settlement: null, told: { demanded: [{ index: 2, throughRound: 7 }] } },
    'can be shown until round 7 ends',
  ],
  [
    'that was shown',
    { told: { demanded: [{ index: 2, throughRound: 7 }], shown: [2] } },
    'Answer 2 was demanded on the chain, and shown',
  ],
  ['that was withheld', { told: { demanded: [{ index: 2, throughRound: 7 }], withheld: [2] } }, 'Withheld: answer 2'],
  ['of a demand left open', { told: { demanded: [{ index: 2, throughRound: 7 }] } }, 'anyone can close that now'],
  ['with a false leaf', { told: { falseLeaves: [3] } }, 'Answer 3 was shown to be false'],
  [
    'that is appealed',
    { told: { appealed: [{ level: 1, drawn: 11, appellant: word(9) }] } },
    'contested: Nectar for them waits',
  ],
] satisfies [string, Parameters<typeof work>[0], string][])('the reason is told of work %s', (_, changes, line) => {
  expect(said(changes)).toContain(line)
})

test('the earnings of a peer in a round follow from the last ruling', () => {
  expect(said({})).toMatch(/In all: 0.500 points, final: Nectar for them can be claimed, or was\.$/)
  expect(said({ currentRound: 8 })).toMatch(/In all: 0.500 points, final from round 9 on\.$/)
  expect(said({ told: { falseLeaves: [3] } })).toMatch(/In all: 0.000 points, final\.$/)
  const appealed = [{ level: 1, drawn: 11, appellant: word(9) }]
  const verdicts = [{ level: 1, seatKey: word(7), scoreMilli: 800 }]
  const closed = (scoreMilli: number, isMoot = false, outcome: Settlement['outcome'] = 'scored') => ({
    appealed,
    verdicts,
    closed: [{ outcome, scoreMilli, settledMilli: 500, isMoot }],
  })
  expect(said({ told: closed(800) })).toMatch(
    /a seat judged 0.800\n.*upheld: 0.800 stands, where 0.500.*\nIn all: 0.800 points, final/,
  )
  expect(said({ told: closed(500) })).toContain('The appeal changed nothing: 0.500 stands.')
  expect(said({ told: closed(500, true) })).toContain('changed no score')
  // Six of eleven seats of the jury are enough; the others may have scored the work.
  const scores = [...Array<number>(6).fill(UNAVAILABLE), ...Array<number>(5).fill(800)]
  const split = scores.map((scoreMilli, at) => ({ level: 1, seatKey: word(20 + at), scoreMilli }))
  expect(said({ told: { ...closed(0, false, 'unavailable'), verdicts: split } })).toMatch(
    /a seat judged 0.800\n.*took the score away: more than half of the jury could not get the answers.*\nIn all: 0.000 points, final\.$/,
  )
})

test('a score that the committee did not give is not said to be 0', () => {
  const appealed = [{ level: 1, drawn: 11, appellant: word(9) }]
  const closed = (scoreMilli: number, outcome: Settlement['outcome']) =>
    said({
      settlement: settled('unavailable'),
      told: { appealed, closed: [{ outcome, scoreMilli, settledMilli: 0, isMoot: false }] },
    })
  expect(closed(681, 'scored')).toContain('The appeal was upheld: 0.681 stands, where no score was settled.')
  expect(closed(0, 'unavailable')).toContain('The appeal changed nothing: it still has no score.')
})

test('a peer that did nothing yet is told when its work is final', () => {
  expect(explainIdle({ round: 0, currentRound: 2 }, 0)).toBe(
    'No round is final yet: the chain is in round 2, and a round is final 4 rounds later.',
  )
  expect(explainIdle({ round: 1, currentRound: 5 }, 0)).toBe(
    'It did nothing in the newest final rounds (rounds 0 to 1); the chain is in round 5, and a round is final 4 rounds later.',
  )
})

test('a score sheet tells refuted sampling from answers that are worth nothing', () => {
  const leaf = (scoreMilli: number) => ({ index: 1, components: {}, scoreMilli })
  const scored = (scoreMilli: number, leaves: number[]) => ({ peerKey: word(1), scoreMilli, leaves: leaves.map(leaf) })
  expect(said({ seats: [seat(0, { scored: scored(0, [700, 500]) })] })).toContain(
    'came to 0.600, and sampling was refuted',
  )
  expect(said({ seats: [seat(0, { scored: scored(0, [0, 0]) })] })).toContain(
    'voted 0.000: 2 drawn answers of 0.000, 0.000',
  )
  expect(said({ seats: [seat(0, { scored: scored(0, []) })] })).toContain('were not what the peer had committed')
})

test('votes and tasks of a peer are reported with what they were paid', () => {
  const opened = [{ shard: 1, index: 4, scoreMilli: 610, paidWei: 10n ** 17n }]
  const duty = { shard: 1, isSealed: true, isRevealed: true }
  const found = explainVotesOf(work({ duties: [duty], told: { opened } }))
  expect(found.join('\n')).toMatch(
    /drawn to score shard 1.*\n.*opened its votes.\n.*610 for answer 4.\nIt was paid 0.1 Nectar/,
  )
  expect(explainVotesOf(work({ duties: [{ ...duty, isSealed: false, isRevealed: false }] }))).toContain(
    'It sealed no votes.',
  )
  expect(explainTasks(work())).toEqual([])
  const told = { hasSecret: true, tasks: [8], tasksPaid: [{ taskIndex: 2, amountWei: 10n ** 18n }] }
  expect(explainTasks(work({ told }))).toEqual([
    'It proposed 8 tasks.',
    'Its task 2 was answered where the seats agreed: 1 Nectar.',
  ])
  expect(explainTasks(work({ told: { hasSecret: true, secretWithheld: true } })).join()).toContain('It was slashed')
})

test('the judgments of a seat are shown with its pay, and its blame with the cost', () => {
  const told = (changes: Partial<PeerRound>) =>
    explainSeat({ told: { ...nothing, ...changes } }, () => 'a solver').join('\n')
  const first = { peerKey: word(1), level: 1 }
  const [second, committee] = [
    { ...first, level: 2 },
    { ...first, level: 0 },
  ]
  expect(told({})).toBe('')
  const judged = [first, second].map(one => ({ ...one, scoreMilli: 700 }))
  expect(told({ judged, seatPaid: [{ ...second, paidWei: 10n ** 17n }] })).toBe(
    [
      'It judged the appeal of a solver: 0.700. Nothing was paid for that: the appeal is open, or its result is another.',
      "It judged the second appeal of a solver: 0.700. It was paid 0.1 of the chain's coin for that.",
    ].join('\n'),
  )
  expect(told({ judged: [{ ...first, scoreMilli: UNAVAILABLE }] })).toContain('appeal of a solver: unavailable.')
  expect(told({ blamed: [{ ...committee, fault: 'overturned' }], misses: 3 })).toMatch(
    /^Blamed: its vote on a solver lay far .* half of a full stake\.\nIt has 3 misses by then; too many remove its seat\.$/,
  )
  expect(told({ blamed: [{ ...first, fault: 'overturned' }] })).toContain('its verdict on the appeal of a solver lay')
  expect(told({ blamed: [{ ...first, fault: 'sealed' }] })).toContain('did not open it, which costs a tenth')
  expect(told({ misses: 1 })).toMatch(/^Blamed: it did not open all of its votes.*It has one miss by then/)
})

test('a peer is found by its words, its id or its key, and one that is not there is said', () => {
  const peerId = '16Uiu2HAmFindMe'
  const peer = { peerId, peerKey: peerKeyOf(peerId), countsFrom: 0, block: 1 }
  const peers = [{ peerId: 'another', peerKey: word(5), countsFrom: 0, block: 1 }, peer]
  const name = peerName(peerId)
  for (const asked of [peerId, peer.peerKey, name, name.toUpperCase().replaceAll(' ', '-')])
    expect(findPeer(peers, asked)).toBe(peer)
  expect(() => findPeer(peers, 'no such peer')).toThrow('No registered peer has the id, key or name no such peer.')
  const hint = expect.stringContaining(`Did you mean '${name}'?`)
  expect(() => findPeer(peers, name.slice(0, -1))).toThrow(expect.objectContaining({ hint }))
})
