import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Appeal, AppealCase } from '#chain/challenges/appeals.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { followAppeals, openAppeals, restsUntil } from '../appellant/followAppeals.ts'
import { drawCommittee } from '../draws/drawCommittee.ts'
import type { PeerNode } from '../peerNode.ts'
import { defendVotes } from './defendVotes.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [peerKey, account, other] = [word('11'), word('0a'), word('0b')]
const mined: TxOutcome = { status: 'mined', hash: word('01'), block: 1 }
const BOND_WEI = 2n * 10n ** 16n
const opened = { round: 1, peerKey, level: 1, openedRound: 4, appellant: other, drawn: 11, closesFrom: 8 }
const first = { ...opened, isClosed: false, settledMilli: 700, finalMilli: 0 } as AppealCase

const [beacon, CHAIN_ID] = [word('be'), 31_337]
const seats = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'].map(word)
const committee = drawCommittee(CHAIN_ID, 1, beacon, 0, seats)
/** The round in which the verdict can be appealed: 100 s, as it was told at its start. */
const begunAt = (round: number) => ({ time: { round, startsAtSec: 0, endsAtSec: 100, nowSec: 0 }, atMs: 0 })

/** Verdicts of eleven seats, six of which push the score to 0. */
const CARRIED = [0, 0, 0, 0, 0, 0, 700, 705, 695, 700, 710]

type Scene = {
  verdicts?: number[]
  found?: Partial<AppealCase>
  bootstrap?: number
  vote?: number
  cast?: number[]
  /** The seat of the peer's own account. */
  own?: number
}

/** Verdicts of eleven seats, six of which say that they found nothing. */
const MISSED = CARRIED.map(one => (one === 0 ? UNAVAILABLE : one))

/** An evaluator that gave the peer 700, as the committee did, and whose vote a jury judged. */
function setup(changed: Scene = {}) {
  const { verdicts = CARRIED, found = {}, bootstrap = 0, vote = 700, cast = [700, 700, 700], own } = changed
  const clock = createManualClock(0)
  const said: string[] = []
  const logger = createLogger({
    write: line => said.push(JSON.parse(line).message),
    format: 'json',
    level: 'info',
    clock,
  })
  const appealed: Appeal[] = []
  /** False answers of an endpoint, before the true ones. */
  const answers: AppealCase[] = []
  let now = { ...first, ...found }
  let backWei = BOND_WEI / 2n
  const chain = {
    account,
    readAppeals: async () => [now],
    readBootstrapRounds: async () => bootstrap,
    readVerdicts: async () => verdicts.map(scoreMilli => ({ scoreMilli })),
    readAppealBond: async (level: number) => (level === 2 ? BOND_WEI : 0n),
    readBalance: async () => 10n ** 18n,
    readCase: async () => answers.shift() ?? now,
    nextBlock: async () => undefined,
    readBeacon: async () => ({ state: 'drawn', hash: beacon }),
    readSeats: async () => seats,
    readRolloutCommitments: async () => [{ peerKey, ordinal: 0 }],
    readRevealedVotes: async () =>
      cast.map((scoreMilli, at) => ({ shard: 0, evaluatorKey: committee[at], scoresMilli: [scoreMilli] })),
    readAccountOf: async (key: Hex) => (own !== undefined && key === committee[own] ? peerKey : key),
    readClosingCredit: async () => backWei,
    readCredit: async () => 1n,
    withdrawCredit: async () => mined,
    closeAppeal: async () => mined,
    async appealScore(appeal: Appeal) {
      appealed.push(appeal)
      now = { ...now, level: 2, appellant: account, openedRound: 7, closesFrom: 10 }
      return mined
    },
  }
  const bundles = { get: async () => new Uint8Array(1) }
  const payloads = { open: async () => ({ payload: { peers: [{ peerKey, scoreMilli: vote, leaves: [] }] } }) }
  /** An evaluator by its seat in the committee. */
  const seat = (position: number) => {
    const journal = createJournal(openDatabase(':memory:'), clock)
    journal.set(1, 'scores', word('51'))
    const identity = { peerKey: committee[position] }
    const own = { chain, chainId: CHAIN_ID, identity, clock, journal, signal: new AbortController().signal }
    return { ...own, logger, bundles, payloads, appealCounts: new Map() } as unknown as PeerNode
  }
  const node = seat(0)
  const close = (finalMilli: number, creditedWei = backWei) => {
    backWei = creditedWei
    now = { ...now, isClosed: true, finalMilli }
  }
  const answerFalsely = (changes: Partial<AppealCase>) => void answers.push({ ...now, ...changes })
  return { node, seat, clock, appealed, said, close, answerFalsely }
}

test('a seat appeals the verdict that overturns its vote where a quarter of the jury found the same, and has its bond back', async () => {
  const { node, appealed, said, close } = setup()
  await defendVotes(node, begunAt(7), 2)
  expect(appealed).toEqual([{ round: 1, peerKey, level: 2, dueRound: 7, bondWei: BOND_WEI }])
  close(700)
  await followAppeals(node, 11)
  expect(said).toContain('appeal upheld')
  expect(openAppeals(node)).toEqual([])
  expect(restsUntil(node)).toBe(0)
})

test('a seat appeals a jury that found nothing, where that takes away what it scored', async () => {
  const { node, appealed } = setup({ verdicts: MISSED, cast: [700, UNAVAILABLE, 700] })
  await defendVotes(node, begunAt(7), 2)
  expect(appealed).toEqual([{ round: 1, peerKey, level: 2, dueRound: 7, bondWei: BOND_WEI }])
})

test('a jury that found nothing takes nothing away where only a seat of the own account had voted unavailable', async () => {
  const { node, appealed } = setup({ verdicts: MISSED, cast: [700, UNAVAILABLE, 700], own: 1 })
  await defendVotes(node, begunAt(7), 2)
  expect(appealed).toEqual([])
})

test('a seat whose defence was not upheld rests', async () => {
  const { node, said, close } = setup()
  await defendVotes(node, begunAt(7), 2)
  close(0, 0n)
  await followAppeals(node, 11)
  expect(said).toContain('appeal not upheld: it appeals nothing for a while')
  await defendVotes(node, begunAt(12), 2)
  expect(restsUntil(node)).toBeGreaterThan(12)
})

test('a seat whose defence a second jury did not read does not rest', async () => {
  const { node, said, close } = setup()
  await defendVotes(node, begunAt(7), 2)
  close(0)
  await followAppeals(node, 11)
  expect(said).toContain('appeal ended without a verdict')
  expect(restsUntil(node)).toBe(0)
})

test.each<Partial<AppealCase>>([{ isClosed: true, finalMilli: 0 }, { appellant: word('ee') }, { level: 0 }])(
  'one answer of %j to a peer does not end its appeal',
  async changes => {
    const { node, said, answerFalsely } = setup()
    await defendVotes(node, begunAt(7), 2)
    const open = openAppeals(node)
    expect(open).toHaveLength(1)
    answerFalsely(changes)
    await followAppeals(node, 40)
    expect(openAppeals(node)).toEqual(open)
    expect([restsUntil(node), said.filter(line => line.startsWith('appeal not upheld'))]).toEqual([0, []])
  },
)

test('no vote is defended that costs no stake, that nobody else read, or that cannot be appealed', async () => {
  const scenes: Scene[] = [
    { verdicts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 700, 700] },
    { verdicts: [700, 700, 700, 700, 700, 700, 0, 0, 0, 0, 0] },
    { verdicts: [0, 0, 0, 700, 700] },
    { verdicts: MISSED },
    { vote: UNAVAILABLE },
    { vote: 30 },
    { bootstrap: 2 },
    { found: { closesFrom: 7 } },
    { found: { level: 2, closesFrom: 10 } },
    { found: { isClosed: true } },
  ]
  for (const scene of scenes) {
    const { node, appealed } = setup(scene)
    await defendVotes(node, begunAt(7), 2)
    expect(appealed).toEqual([])
  }
  const unfunded = setup()
  await defendVotes(unfunded.node, begunAt(7), 0)
  expect(unfunded.appealed).toEqual([])
})

test('seats of a committee take turns: the first that can pays the bond, and the others leave it', async () => {
  const { seat, clock, appealed, said } = setup()
  const poor = seat(0)
  Object.assign(poor, { chain: { ...poor.chain, readBalance: async () => 0n } })
  const defences = [poor, ...[4, 3, 2, 1].map(seat)].map(node => defendVotes(node, begunAt(7), 2))
  await defences[0]
  expect(said).toContain('a score cannot be appealed: the account has too little for the bond')
  await expect.poll(() => clock.sleepers()).toBe(4)
  clock.advance(10_000)
  await expect.poll(() => appealed).toHaveLength(1)
  clock.advance(30_000)
  await Promise.all(defences)
  expect(appealed).toHaveLength(1)
})
