import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Appeal, AppealCase } from '#chain/challenges/appeals.ts'
import type { SeatsToJudge } from '#chain/challenges/judgeSeats.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { Models } from '../checking/proofs.ts'
import { voteVerdict } from '../checking/voteVerdict.ts'
import type { PeerNode } from '../peerNode.ts'
import { appealScores } from './appealScores.ts'
import { openAppeals, REST_ROUNDS, restsUntil } from './followAppeals.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [own, rival, third] = [word('11'), word('12'), word('13')]
const account = word('0a')
const mined: TxOutcome = { status: 'mined', hash: word('01'), block: 1 }
const BOND_WEI = 10n ** 16n

type Votes = Partial<Record<Hex, number[]>>
type Scene = {
  /** The votes of the committee, by peer. */
  votesOf: (round: number) => Votes
  /** Findings of an honest reading. */
  truthOf: (round: number, peerKey: Hex) => number
  appeals?: number
  balanceWei?: bigint
  /** Whether the seats settle. */
  settles?: boolean
  /** Peers that lost their rounds before settlement. */
  annulled?: Hex[]
  /** Accounts of keys; each of the others has its own. */
  accountsOf?: Record<Hex, Hex>
  /** Stakes that seats have left after bootstrap; without it, the round is of bootstrap. */
  stakes?: Record<Hex, bigint>
  /** Least divisor of the round's emission. */
  leastMilli?: number
  /** Draws whether an undisputed score is read, and which. */
  random?: () => number
}

const peers = [own, rival, third]
/** Keys of the five seats, in order. */
const seatKey = (seat: number) => word(`e${seat}`)

/** A swarm of three peers, as one of them sees it, with a chain that remembers its appeals. */
function setup({ votesOf, truthOf, appeals = 2, balanceWei = 10n ** 18n, settles = true, ...scene }: Scene) {
  const clock = createManualClock()
  const journal = createJournal(openDatabase(':memory:'), clock)
  const appealed: Appeal[] = []
  const cases = new Map<string, AppealCase>()
  const backOf = new Map<Hex, bigint>()
  const verdicts: number[] = []
  const judged: SeatsToJudge[] = []
  const said: string[] = []
  const read: Hex[] = []
  let [now, nowSec] = [-1, 0]
  let isSettled = settles
  const logger = createLogger({
    write: line => said.push(JSON.parse(line).message),
    format: 'json',
    level: 'info',
    clock,
  })
  const settlementsOf = (round: number): Settlement[] =>
    !isSettled
      ? []
      : Object.entries(votesOf(round)).map(([peerKey, votes]) => ({
          ...{ peerKey: peerKey as Hex, block: 1 },
          ...voteVerdict(votes ?? [], 5),
        }))
  const none = { level: 0, appellant: word('00'), isClosed: false, settledMilli: 0, finalMilli: 0 } as AppealCase
  const caseOf = (round: number, peerKey: Hex) => cases.get(`${round} ${peerKey}`) ?? none
  const chain = {
    account,
    rounds: { recent: async () => ({ round: now, startsAtSec: 0, endsAtSec: 80, nowSec, block: 1 }) },
    readSettlements: async (round: number) => settlementsOf(round),
    readAnnulled: async () => scene.annulled ?? [],
    readRolloutCommitments: async () =>
      peers.map((peerKey, ordinal) => ({ peerKey, ordinal }) as unknown as RolloutCommitment),
    readRevealedVotes: async (round: number) => {
      const votes = votesOf(round)
      const seats = Array.from({ length: 5 }, (_, seat) => peers.map(peer => votes[peer]?.[seat] ?? UNAVAILABLE))
      return seats.map(
        (scoresMilli, seat) => ({ shard: 0, scoresMilli, evaluatorKey: seatKey(seat) }) as unknown as RevealedVotes,
      )
    },
    readAccountOf: async (key: Hex) => scene.accountsOf?.[key] ?? key,
    readAppealBond: async () => BOND_WEI,
    readGasPrice: async () => 10n ** 9n,
    readBalance: async () => balanceWei,
    readBootstrapRounds: async () => (scene.stakes === undefined ? 10_000 : 0),
    readStake: async (_: string, key: Hex) => ({ amountWei: scene.stakes?.[key] ?? 0n }),
    readLeastPoints: async () => scene.leastMilli ?? 0,
    readCase: async (round: number, peerKey: Hex) => caseOf(round, peerKey),
    nextBlock: async () => undefined,
    readClosingCredit: async (found: { round: number; peerKey: Hex }) => backOf.get(found.peerKey) ?? BOND_WEI / 2n,
    readVerdicts: async () => verdicts.map(scoreMilli => ({ scoreMilli })),
    readCredit: async () => 1n,
    withdrawCredit: async () => mined,
    async settle() {
      isSettled = true
      return mined
    },
    closeAppeal: async () => mined,
    readSeatsToJudge: async ({ round, peerKey }: AppealCase) => [{ round, peerKey, level: 1, positions: [0] }],
    async judgeSeats(seats: SeatsToJudge) {
      judged.push(seats)
      return mined
    },
    appealScore: async (appeal: Appeal) => {
      const { round, peerKey } = appeal
      appealed.push(appeal)
      cases.set(`${round} ${peerKey}`, {
        ...none,
        ...{ round, peerKey, level: 1, drawn: 11, appellant: account, closesFrom: now + 4 },
      })
      return mined
    },
  }
  const node = {
    ...{ chain, chainId: 1, journal, logger, clock, identity: { peerKey: own }, appealCounts: new Map() },
    playsIn: async () => true,
  } as unknown as PeerNode
  let running = { done: Promise.resolve(), end: new AbortController() }

  /** Starts the duty as after a start of the node. */
  async function start(): Promise<void> {
    running.end.abort()
    await running.done
    const end = new AbortController()
    const score = async (_: PeerNode, __: Models, { round, peerKey }: { round: number; peerKey: Hex }) => {
      read.push(peerKey)
      return truthOf(round, peerKey)
    }
    const modules = { score, random: scene.random ?? (() => 0.99) }
    const settings = { maxAppeals: appeals, nectarPrice: 0.001 }
    running = { end, done: appealScores({ ...node, signal: end.signal }, {} as Models, settings, modules) }
    await atRest()
  }
  async function atRest(): Promise<void> {
    while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
  }
  return {
    ...{ appealed, judged, said, read, start, node },
    /** One look in a round. */
    async enter(round: number, atSec = 0): Promise<void> {
      now = round
      nowSec = atSec
      clock.advance(60_000)
      await atRest()
    },
    /** @param backWei - what comes back to the appellant. @param cast - the verdicts of the jury. */
    close(round: number, peerKey: Hex, finalMilli: number, backWei = BOND_WEI / 2n, cast: number[] = []) {
      backOf.set(peerKey, backWei)
      verdicts.push(...cast)
      const found = caseOf(round, peerKey)
      cases.set(`${round} ${peerKey}`, { ...found, settledMilli: 0, isClosed: true, finalMilli })
    },
    async stop() {
      running.end.abort()
      await running.done
    },
  }
}

/** Seeded, evenly spread over [0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('in 2,000 rounds of honest judges with scattered readings, no score is appealed', async () => {
  const random = randomFrom(7)
  // A standard deviation of 6 thousandths, as in the simulation of the votes.
  const noise = () => 6 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const truths = new Map<string, number>()
  const truthOf = (round: number, peerKey: Hex) => {
    const known = truths.get(`${round} ${peerKey}`) ?? Math.round(1_000 * random())
    truths.set(`${round} ${peerKey}`, known)
    return known
  }
  const reading = (milli: number) => Math.max(0, Math.min(1_000, Math.round(milli + noise())))
  const votes = new Map<number, Votes>()
  const votesOf = (round: number) => {
    const cast = peers.map(peer => [peer, Array.from({ length: 5 }, () => reading(truthOf(round, peer)))] as const)
    const known = votes.get(round) ?? Object.fromEntries(cast)
    votes.set(round, known)
    return known
  }
  const scene = setup({ votesOf, truthOf: (round, peerKey) => reading(truthOf(round, peerKey)) })
  await scene.start()
  for (let round = 3; round < 2_003; round += 1) await scene.enter(round)
  await scene.stop()
  expect(scene.read.length).toBeGreaterThan(1_000)
  expect(scene.appealed).toEqual([])
})

test('an own score that a majority pushed down is appealed once, over restarts too, and its end is reported', async () => {
  const pushed = { [own]: [0, 0, 0, 700, 700], [rival]: [700, 700, 700, 700, 700] }
  const votesOf = (round: number) => (round === 0 ? pushed : {})
  const scene = setup({ votesOf, truthOf: () => 700 })
  await scene.start()
  await scene.enter(3)
  await scene.start()
  await scene.enter(3)
  expect(scene.appealed).toEqual([{ round: 0, peerKey: own, level: 1, dueRound: 3, bondWei: BOND_WEI }])
  expect(openAppeals(scene.node)).toHaveLength(1)
  scene.close(0, own, 700)
  await scene.enter(7)
  await scene.stop()
  expect(scene.said).toContain('appeal upheld')
  expect(scene.said).toContain('bond taken back')
  expect(openAppeals(scene.node)).toEqual([])
  expect([...scene.node.appealCounts]).toContainEqual(['upheld', 1])
})

test('a score that two seats and this peer find nothing for is appealed, and one that a single seat missed is not', async () => {
  const cast = { [own]: [500, 500, 500, 500, 500], [third]: [500, 500, 500, 500, UNAVAILABLE] }
  const votesOf = (round: number) =>
    round === 0 ? { ...cast, [rival]: [1000, UNAVAILABLE, 1000, UNAVAILABLE, 1000] } : {}
  const scene = setup({ votesOf, truthOf: (_, peerKey) => (peerKey === own ? 500 : UNAVAILABLE) })
  await scene.start()
  await scene.enter(3)
  await scene.enter(3)
  await scene.stop()
  expect(scene.appealed).toEqual([{ round: 0, peerKey: rival, level: 1, dueRound: 3, bondWei: BOND_WEI }])
  expect(scene.read).toEqual([own, rival])
})

test('a rival’s score that is wrong in a large swarm is appealed as long as the seats that gave it have stakes', async () => {
  const votesOf = () => ({ [own]: [500, 500, 500, 500, 500], [rival]: [1000, 1000, 1000, 500, 500] })
  for (const amountWei of [50n * 10n ** 18n, 0n]) {
    const stakes = Object.fromEntries([0, 1, 2, 3, 4].map(seat => [seatKey(seat), amountWei]))
    const scene = setup({ votesOf, truthOf: () => 500, stakes, leastMilli: 7_000_000 })
    await scene.start()
    await scene.enter(3)
    await scene.enter(3)
    await scene.stop()
    expect(scene.appealed.map(({ peerKey }) => peerKey)).toEqual(amountWei > 0n ? [rival] : [])
  }
})

test('missing work is not appealed if only seats of its own account say that it is missing', async () => {
  const votesOf = (round: number) => (round === 0 ? { [rival]: [1000, UNAVAILABLE, 1000, UNAVAILABLE, 1000] } : {})
  const accountsOf = { [rival]: account, [seatKey(1)]: account }
  const scene = setup({ votesOf, truthOf: () => UNAVAILABLE, accountsOf })
  await scene.start()
  await scene.enter(3)
  await scene.enter(3)
  await scene.stop()
  expect([scene.read, scene.appealed]).toEqual([[rival], []])
})

test('a round that no seat settled in five twelfths of it is settled by a possible appellant, before the last quarter, and appealed', async () => {
  const pushed = { [own]: [0, 0, 0, 700, 700], [rival]: [700, 700, 700, 700, 700], [third]: [700, 700, 700, 700, 700] }
  const scene = setup({ votesOf: round => (round === 0 ? pushed : {}), truthOf: () => 700, settles: false })
  await scene.start()
  await scene.enter(3, 33)
  await scene.enter(3, 60)
  expect(scene.said).toEqual([])
  await scene.enter(3, 41)
  await scene.stop()
  expect(scene.said).toContain('shard settled')
  expect(scene.appealed.map(({ peerKey }) => peerKey)).toEqual([own])
})

test('an undisputed score is drawn once every peer is settled or has lost the round', async () => {
  const votesOf = () => ({ [own]: [1000, 1000, 1000, 1000, 1000], [rival]: [900, 900, 900, 900, 900] })
  for (const annulled of [[], [third]]) {
    const scene = setup({ votesOf, truthOf: () => 900, annulled, random: () => 0.1 })
    await scene.start()
    await scene.enter(3)
    await scene.stop()
    expect(scene.read).toEqual(annulled.length === 0 ? [] : [rival])
  }
})

test('a lazy majority that scored what was not sampled is appealed by a rival, where one seat looked', async () => {
  // The third peer's sampling is refuted for whoever checks it.
  const truthOf = (_: number, peerKey: Hex) => (peerKey === third ? 0 : 600)
  const votesOf = () => ({
    [own]: [600, 600, 600, 600, 600],
    [rival]: [610, 600, 600, 600, 600],
    [third]: [900, 900, 900, 0, 900],
  })
  const scene = setup({ votesOf, truthOf })
  await scene.start()
  await scene.enter(3)
  // The owner of the score goes first.
  expect(scene.appealed).toEqual([])
  await scene.enter(3)
  await scene.stop()
  expect(scene.appealed.map(({ peerKey }) => peerKey)).toEqual([third])
  expect(scene.read).toEqual([own, third])
})

test('after an appeal that changed nothing it rests, and takes the next one up then', async () => {
  const scene = setup({ votesOf: () => ({ [own]: [0, 0, 0, 0, 0], [rival]: [700, 700, 700] }), truthOf: () => 700 })
  await scene.start()
  await scene.enter(3)
  scene.close(0, own, 0, 0n)
  await scene.enter(7)
  expect(scene.said).toContain('appeal not upheld: it appeals nothing for a while')
  await scene.enter(6 + REST_ROUNDS)
  expect(scene.appealed).toHaveLength(1)
  await scene.enter(7 + REST_ROUNDS)
  await scene.stop()
  expect(scene.appealed.map(({ round }) => round)).toEqual([0, 4 + REST_ROUNDS])
})

test('an appeal that too few seats read does not make it rest, and one whose work most of the jury could not find does', async () => {
  for (const [cast, rests] of [
    [[700, 700, UNAVAILABLE], false],
    [Array(6).fill(UNAVAILABLE), true],
  ] as const) {
    const scene = setup({ votesOf: () => ({ [own]: [0, 0, 0, 0, 0], [rival]: [700, 700, 700] }), truthOf: () => 700 })
    await scene.start()
    await scene.enter(3)
    scene.close(0, own, 0, BOND_WEI / 2n, [...cast])
    await scene.enter(7)
    await scene.stop()
    expect(restsUntil(scene.node)).toBe(rests ? 7 + REST_ROUNDS : 0)
    expect([...scene.node.appealCounts]).toContainEqual([rests ? 'not upheld' : 'no verdict', 1])
    expect(scene.appealed.map(({ round }) => round)).toEqual(rests ? [0] : [0, 4])
  }
})

test('an appellant that closes its case judges the seats of the jury as well', async () => {
  const pushed = { [own]: [0, 0, 0, 700, 700] }
  const scene = setup({ votesOf: round => (round === 0 ? pushed : {}), truthOf: () => 700 })
  await scene.start()
  await scene.enter(3)
  await scene.enter(7)
  expect(scene.judged).toEqual([])
  await scene.enter(8)
  await scene.stop()
  expect(scene.judged).toEqual([{ round: 0, peerKey: own, level: 1, positions: [0] }])
})

test('no score is appealed without a budget, without the coin for bonds, or if the work is unavailable', async () => {
  const votesOf = () => ({ [own]: [0, 0, 0, 0, 0], [rival]: [700, 700, 700] })
  for (const changed of [{ appeals: 0 }, { balanceWei: 3n * BOND_WEI }, { truthOf: () => UNAVAILABLE }]) {
    const scene = setup({ votesOf, truthOf: () => 700, ...changed })
    await scene.start()
    await scene.enter(3)
    await scene.stop()
    expect(scene.appealed).toEqual([])
  }
})
