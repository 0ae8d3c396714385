import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerName } from '@waggle/node/core/peerName'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FINALITY_ROUNDS } from '../src/schedule.ts'
import { type Cast, gather, playRound } from './play.ts'
import {
  appeal,
  challengeLeaf,
  closeAppeal,
  closeDemand,
  commitLeaves,
  commitVerdict,
  demandLeaf,
  showLeaf,
} from './playChallenges.ts'
import { playGame } from './playGame.ts'
import { playOpenings, readNectarOf } from './playOpenings.ts'
import { BOOTSTRAP_ROUNDS, digest, ENVIRONMENT, ROUND_SECONDS, TestChain, type TestPeer, until } from './testChain.ts'
import { TestIndexer } from './testIndexer.ts'

// A start takes 5 s of work, and on a busy machine much longer.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const folder = mkdtempSync(join(tmpdir(), 'waggle-index-'))
let chain: TestChain
let indexer: TestIndexer
let cast: Cast

/** Rounds 0 to 4, with amendments in round 1: in the end round 1 is settled and not yet final. */
beforeAll(async () => {
  chain = await TestChain.start(folder)
  const starting = TestIndexer.spawn(chain, join(folder, 'index'))
  await chain.enter(0)
  cast = await gather(chain)
  await chain.commitTasks(cast.proposer, 1, 5)
  for (const round of [0, 1, 2, 3, 4]) {
    if (round > 0) await chain.enter(round)
    if (round === 1) await chain.commit(cast.solvers[0], 1, 32)
    await playRound(chain, cast, round)
  }
  indexer = await starting
  await indexer.reachTip(chain)
})

afterAll(async () => {
  await TestIndexer.endAll()
  chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a round counts what its peers did, and has the times that the contract computes', async () => {
  const { round } = await indexer.query(`{ round(number: 1) {
    startsAtSec endsAtSec finalAtSec environmentHash taskCommitments tasks rolloutCommitments rollouts
    votesCommitted votesRevealed settled scored unavailable noQuorum scoreMilliSum
  } }`)
  const [startsAtSec, endsAtSec] = await chain.timesOf(1)
  const [finalAtSec] = await chain.timesOf(1 + FINALITY_ROUNDS + 1)
  expect(round).toEqual({
    startsAtSec: Number(startsAtSec),
    endsAtSec: Number(endsAtSec),
    finalAtSec: Number(finalAtSec),
    environmentHash: ENVIRONMENT,
    taskCommitments: 1,
    tasks: 8,
    rolloutCommitments: 2,
    rollouts: 128,
    votesCommitted: 3,
    votesRevealed: 3,
    settled: 2,
    scored: 1,
    unavailable: 1,
    noQuorum: 0,
    scoreMilliSum: 600,
  })
})

test('a round has its beacon once that is recorded', async () => {
  const { rounds } = await indexer.query<{ rounds: { items: unknown[] } }>(
    '{ rounds(where: { number_in: [1, 2, 3] }, orderBy: "number") { items { beacon beaconBlock } } }',
  )
  const beacons = await Promise.all([1, 2, 3].map(round => chain.beaconOf(round)))
  expect(rounds.items).toEqual(beacons)
  expect(beacons.map(({ beacon }) => beacon !== null)).toEqual([true, true, true])
})

test('finality takes as many rounds as the contract says', async () => {
  expect(BigInt(FINALITY_ROUNDS)).toBe(await chain.finalityRounds())
})

test('of a commitment that was amended the latest stands, and the earlier ones are counted', async () => {
  const rows = await indexer.query(`{
    tasksCommitments(where: { round: 1 }) { items { peerKey count amendments root } }
    rolloutCommitments(where: { round: 1 }, orderBy: "amendments", orderDirection: "desc") {
      items { peerKey leafCount amendments root policyHash contentId }
    }
  }`)
  const [first, second] = cast.solvers
  const rollouts = {
    leafCount: 64,
    root: digest('rollouts 64'),
    policyHash: digest('policy'),
    contentId: digest('rollout bundle'),
  }
  expect(rows).toEqual({
    tasksCommitments: {
      items: [{ peerKey: cast.proposer.peerKey, count: 8, amendments: 1, root: digest('tasks 8') }],
    },
    rolloutCommitments: {
      items: [
        { peerKey: first.peerKey, amendments: 1, ...rollouts },
        { peerKey: second.peerKey, amendments: 0, ...rollouts },
      ],
    },
  })
})

test('votes are kept one by one, with their components, and `unavailable` is no score', async () => {
  const { votes } = await indexer.query<{ votes: { items: { scoreMilli: number | null }[] } }>(`{
    votes(where: { round: 1, peerKey: "${cast.solvers[1].peerKey}" }) {
      items { evaluatorKey scoreMilli componentRoot contentId peer { peerId } }
    }
  }`)
  expect(votes.items.map(({ scoreMilli }) => scoreMilli).sort()).toEqual([300, null, null])
  expect(votes.items[0]).toMatchObject({
    componentRoot: digest(`components of ${cast.solvers[1].peerId}`),
    contentId: digest('score sheet'),
    peer: { peerId: cast.solvers[1].peerId },
  })
})

test('settlements say how they came about, and points agree with the contract', async () => {
  const [first, second] = cast.solvers
  const { settlements } = await indexer.query(`{
    settlements(where: { round: 1 }, orderBy: "scoreMilli", orderDirection: "desc") { items { peerKey outcome scoreMilli votes } }
  }`)
  expect(settlements).toEqual({
    items: [
      { peerKey: first.peerKey, outcome: 'scored', scoreMilli: 600, votes: 3 },
      { peerKey: second.peerKey, outcome: 'unavailable', scoreMilli: 0, votes: 3 },
    ],
  })
  const { peer } = await indexer.query(`{ peer(peerKey: "${first.peerKey}") { pointsMilli roundsSettled } }`)
  expect(peer).toEqual({ pointsMilli: String(await chain.points(first)), roundsSettled: 1 })
})

test('evaluators show how often they voted, and the rounds that they sat', async () => {
  const { evaluators } = await indexer.query(`{
    evaluators { totalCount items { fromRound untilRound votesCommitted votesRevealed seats { totalCount } } }
  }`)
  const { evaluatorSeats } = await indexer.query(`{
    evaluatorSeats(where: { fromRound_lte: 3, OR: [{ untilRound: null }, { untilRound_gt: 3 }] }) { totalCount }
  }`)
  expect(evaluatorSeats).toEqual({ totalCount: 3 })
  const seat = { fromRound: 1, untilRound: null, votesCommitted: 3, votesRevealed: 2, seats: { totalCount: 1 } }
  expect(evaluators).toEqual({ totalCount: 3, items: [seat, seat, seat] })
})

test('standings are ordered, paged and counted', async () => {
  const page = (offset: number) =>
    indexer.query<{ standings: { totalCount: number; items: { rank: number; peerId: string }[]; pageInfo: unknown } }>(
      `{ standings(orderBy: "rank", limit: 4, offset: ${offset}) { totalCount items { rank peerId } pageInfo { hasNextPage hasPreviousPage } } }`,
    )
  const [one, two] = [await page(0), await page(4)]
  expect(one.standings.totalCount).toBe(6)
  expect(one.standings.items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
  expect(one.standings.items[0]?.peerId).toBe(cast.solvers[0].peerId)
  expect(one.standings.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false })
  expect(two.standings.items.map(({ rank }) => rank)).toEqual([5, 6])
  expect(two.standings.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true })
})

test('standings are searched by name, peer id, account or key, and keep their rank', async () => {
  const [{ peerId, peerKey, account }] = cast.solvers
  const found = async (where: string) =>
    (
      await indexer.query<{ standings: { items: unknown[] } }>(
        `{ standings(where: ${where}) { items { rank peerId } } }`,
      )
    ).standings.items
  for (const where of [
    `{ name_contains_nocase: "${peerName(peerId).toUpperCase()}" }`,
    `{ peerId_starts_with: "${peerId.slice(0, 20)}" }`,
    `{ account: "${account.address}" }`,
    `{ peerKey: "${peerKey}" }`,
    `{ OR: [{ peerId_contains: "${peerId}" }, { account: "${peerId}" }] }`,
  ])
    expect(await found(where), where).toEqual([{ rank: 1, peerId }])
  expect(await found('{ name_contains_nocase: "no such peer" }')).toEqual([])
})

test('points are provisional until the round is final, and nothing has to be sent for that', async () => {
  const standing = async () =>
    (
      await indexer.query<{ standings: { items: unknown[] } }>(
        '{ standings(where: { rank: 1 }) { items { pointsMilli finalPointsMilli provisionalPointsMilli } } }',
      )
    ).standings.items[0]
  expect(await standing()).toEqual({ pointsMilli: '600', finalPointsMilli: '0', provisionalPointsMilli: '600' })
  await chain.enter(5)
  await indexer.reachTip(chain)
  expect(await standing()).toEqual({ pointsMilli: '600', finalPointsMilli: '600', provisionalPointsMilli: '0' })
})

test('nectar is claimed once its round is final, and the index adds it up', async () => {
  const claimedWei = await chain.claim(cast.solvers[0])
  expect(claimedWei).toBe(1_000n * 10n ** 18n)
  await indexer.reachTip(chain)
  const { peer } = await indexer.query(`{ peer(peerKey: "${cast.solvers[0].peerKey}") { claimedWei } }`)
  expect(peer).toEqual({ claimedWei: String(claimedWei) })
})

test('a stake, its notice and a seat of the rounds after bootstrap are told', async () => {
  const [solver] = cast.solvers
  await chain.stake(solver)
  await indexer.reachTip(chain)
  const question = `{
    stakes { items { peerKey duty amountWei slashedWei freeFromRound } }
    slashings { totalCount }
    evaluator(peerKey: "${solver.peerKey}") { fromRound untilRound stakedFromRound }
    evaluatorSeats(where: { peerKey: "${solver.peerKey}" }) { items { fromRound untilRound } }
  }`
  const bootstrap = Number(BOOTSTRAP_ROUNDS)
  const held = { peerKey: solver.peerKey, duty: 'evaluator', amountWei: String(10n ** 20n), slashedWei: '0' }
  expect(await indexer.query(question)).toEqual({
    stakes: { items: [{ ...held, freeFromRound: null }] },
    slashings: { totalCount: 0 },
    evaluator: { fromRound: bootstrap, untilRound: null, stakedFromRound: bootstrap },
    evaluatorSeats: { items: [{ fromRound: bootstrap, untilRound: null }] },
  })
  const freeFromRound = await chain.unstake(solver)
  await indexer.reachTip(chain)
  const after = await indexer.query(question)
  expect(after.stakes).toEqual({ items: [{ ...held, freeFromRound }] })
  expect(after.evaluator).toMatchObject({ stakedFromRound: null })
})

test('a peer that moves to another account keeps its history', async () => {
  const moved = await chain.move(cast.solvers[1])
  await indexer.reachTip(chain)
  const { peer } = await indexer.query(`{ peer(peerKey: "${moved.peerKey}") { account moves roundsSolved } }`)
  expect(peer).toEqual({ account: moved.account.address.toLowerCase(), moves: 1, roundsSolved: 4 })
})

test('a seat that is given up and taken again is two spans', async () => {
  const [evaluator] = cast.evaluators
  await chain.remove(evaluator)
  await chain.enter(7)
  await chain.admit(evaluator)
  await indexer.reachTip(chain)
  const { evaluator: row } = await indexer.query(`{ evaluator(peerKey: "${evaluator.peerKey}") {
    fromRound untilRound seats(orderBy: "fromRound") { items { fromRound untilRound } }
  } }`)
  expect(row).toEqual({
    fromRound: 8,
    untilRound: null,
    seats: {
      items: [
        { fromRound: 1, untilRound: 6 },
        // By the role: until bootstrap ends.
        { fromRound: 8, untilRound: Number(BOOTSTRAP_ROUNDS) },
      ],
    },
  })
})

test('a new schedule moves the times of rounds that are announced but have not begun', async () => {
  await chain.commitTasks(cast.proposer, 8, 8)
  await chain.commitTasks(cast.proposer, 9, 8)
  await chain.setSchedule(9, ROUND_SECONDS / 2)
  await indexer.reachTip(chain)
  const { rounds } = await indexer.query(
    '{ rounds(where: { number_gte: 8 }) { items { number startsAtSec endsAtSec } } }',
  )
  const expected = []
  for (const number of [8, 9]) {
    const [startsAtSec, endsAtSec] = await chain.timesOf(number)
    expected.push({ number, startsAtSec: Number(startsAtSec), endsAtSec: Number(endsAtSec) })
  }
  expect(rounds).toEqual({ items: expected })
})

test('a game of the market shows its terms, prices, bets, clues and payouts', async () => {
  // A null character, which the database would refuse.
  const { judge, right, wrong, startsAtSec } = await playGame(chain, '{"question":"which?\0"}')
  await indexer.reachTip(chain)
  const { game } = await indexer.query(`{ game(gameId: "0") {
    judge details roundCount choiceCount startsAtSec bond status roundsOpened bets totalStake answer winner pot paidOut
    choices(orderBy: "choice") { items { choice stake shares } }
    prices { items { round price } } clues { items { round clue } }
    placed(orderBy: "id") { items { account holder round choice stake shares } }
    payouts { items { account payout } }
  } }`)
  const token = (amount: number) => `${amount}${'0'.repeat(18)}`
  const bet = (account: string, choice: number, stake: number) => ({
    account: account.toLowerCase(),
    holder: `0x${account.slice(2).toLowerCase().padStart(64, '0')}`,
    round: 0,
    choice,
    stake: token(stake),
    shares: token(stake),
  })
  expect(game).toEqual({
    judge: judge.toLowerCase(),
    details: '{"question":"which?\ufffd"}',
    roundCount: 1,
    choiceCount: 3,
    startsAtSec,
    bond: token(10),
    status: 'resolved',
    roundsOpened: 1,
    bets: 2,
    totalStake: token(10),
    answer: 1,
    winner: 1,
    pot: token(6),
    paidOut: token(10),
    choices: {
      items: [
        { choice: 0, stake: '0', shares: '0' },
        { choice: 1, stake: token(4), shares: token(4) },
        { choice: 2, stake: token(6), shares: token(6) },
      ],
    },
    prices: { items: [0, 1, 2].map(() => ({ round: 0, price: token(1) })) },
    clues: { items: [{ round: 0, clue: 'a clue' }] },
    placed: { items: [bet(right, 1, 4), bet(wrong, 2, 6)] },
    payouts: { items: [{ account: right.toLowerCase(), payout: token(10) }] },
  })
})

test('a reorganisation takes back what it undid', async () => {
  const count = async () =>
    (await indexer.query<{ peers: { totalCount: number } }>('{ peers { totalCount } }')).peers.totalCount
  const before = await count()
  await chain.register()
  await until(async () => (await count()) === before + 1)
  await chain.reorganise(1)
  await until(async () => (await count()) === before)
})

/** What a peer's round came to, and how sure that is. */
async function stateOf(round: number, { peerKey }: TestPeer) {
  await indexer.reachTip(chain)
  const where = `{ round: ${round}, peerKey: "${peerKey}" }`
  const { scoreStates } = await indexer.query<{ scoreStates: { items: unknown[] } }>(
    `{ scoreStates(where: ${where}) { items { outcome scoreMilli state } } }`,
  )
  return scoreStates.items[0]
}

/** A peer's points, by how sure they are. */
async function standingOf({ peerKey }: TestPeer) {
  const { standings } = await indexer.query<{
    standings: { items: unknown[] }
  }>(`{ standings(where: { peerKey: "${peerKey}" }) {
    items { pointsMilli finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds }
  } }`)
  return standings.items[0]
}

test('a false leaf and a withheld one cost their peers the round, and one that is shown does not', async () => {
  const round = await chain.currentRound()
  const peers = [await chain.register(), await chain.register(), await chain.register()] as const
  const [falsified, withholding, honest] = [
    await commitLeaves(chain, peers[0], round),
    await commitLeaves(chain, peers[1], round),
    await commitLeaves(chain, peers[2], round),
  ]
  await chain.enter(round + 1)
  await challengeLeaf(chain, falsified)
  const withheld = await demandLeaf(chain, withholding, 0)
  const shown = await demandLeaf(chain, honest, 1)
  await showLeaf(chain, honest, shown)
  await chain.enter(round + 3)
  // Settled while its demand is open: that is not final, whenever it is closed.
  await chain.settle(round, [peers[1]])
  expect(await stateOf(round, peers[1])).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'contested' })
  await closeDemand(chain, withholding, withheld)
  expect(await stateOf(round, peers[1])).toEqual({ outcome: 'withheld', scoreMilli: 0, state: 'settled' })
  const rows = await indexer.query<Record<string, unknown>>(`{
    round(number: ${round}) { settled falseLeaf withheld }
    settlements(where: { round: ${round} }, orderBy: "outcome") { items { peerKey outcome scoreMilli } }
    leafDemands(where: { round: ${round} }, orderBy: "state") { items { peerKey index state bondWei throughRound responder } }
  }`)
  const lost = (peer: (typeof peers)[number], outcome: string) => ({ peerKey: peer.peerKey, outcome, scoreMilli: 0 })
  const demand = { bondWei: `1${'0'.repeat(17)}`, throughRound: round + 2 }
  const responder = peers[2].account.address.toLowerCase()
  expect(rows).toEqual({
    round: { settled: 2, falseLeaf: 1, withheld: 1 },
    settlements: { items: [lost(peers[0], 'falseLeaf'), lost(peers[1], 'withheld')] },
    leafDemands: {
      items: [
        { peerKey: peers[2].peerKey, index: shown, state: 'shown', ...demand, responder },
        { peerKey: peers[1].peerKey, index: withheld, state: 'withheld', ...demand, responder: null },
      ],
    },
  })
})

test('an appeal replaces the score that was settled, and shows who judged', async () => {
  const round = await chain.currentRound()
  const peer = await chain.register()
  await chain.commit(peer, round, 8)
  await chain.enter(round + 1)
  await chain.enter(round + 3)
  await chain.settle(round, [peer])
  expect(await stateOf(round, peer)).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'settled' })
  await appeal(chain, peer, round)
  await chain.enter(round + 4)
  // By time it is final; what is appealed is not.
  expect(await stateOf(round, peer)).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'contested' })
  expect(await standingOf(peer)).toMatchObject({ contestedPointsMilli: '0', contestedRounds: 1 })
  const reserved = () => indexer.query(`{ round(number: ${round}) { reservedMilli scoreMilliSum } }`)
  expect(await reserved()).toEqual({ round: { reservedMilli: 1000, scoreMilliSum: 0 } })
  const seats = cast.evaluators
  const reveals = []
  for (const seat of seats.slice(0, 2)) reveals.push(await commitVerdict(chain, seat, peer, round, 700))
  await chain.enter(round + 5)
  for (const reveal of reveals) await reveal()
  await chain.enter(round + 6)
  await closeAppeal(chain, peer, round)
  await indexer.reachTip(chain)
  const {
    appealCase,
    settlement,
    peer: row,
  } = await indexer.query<Record<string, unknown>>(`{
    appealCase(round: ${round}, peerKey: "${peer.peerKey}") {
      settledMilli isClosed isMoot finalMilli
      appeals { items { level drawn verdicts(orderBy: "seatKey") { items { seatKey isRevealed scoreMilli fault } } } }
    }
    settlement(round: ${round}, peerKey: "${peer.peerKey}") { outcome scoreMilli }
    peer(peerKey: "${peer.peerKey}") { pointsMilli }
  }`)
  const verdicts = seats.map(({ peerKey }, at) => ({
    seatKey: peerKey,
    isRevealed: at < 2,
    scoreMilli: at < 2 ? 700 : null,
    fault: at < 2 ? null : 'silent',
  }))
  verdicts.sort((a, b) => (a.seatKey < b.seatKey ? -1 : 1))
  expect(appealCase).toEqual({
    settledMilli: 0,
    isClosed: true,
    isMoot: false,
    finalMilli: 700,
    appeals: { items: [{ level: 1, drawn: 3, verdicts: { items: verdicts } }] },
  })
  expect(settlement).toEqual({ outcome: 'scored', scoreMilli: 700 })
  expect(row).toEqual({ pointsMilli: '700' })
  expect(await stateOf(round, peer)).toEqual({ outcome: 'scored', scoreMilli: 700, state: 'final' })
  expect(await reserved()).toEqual({ round: { reservedMilli: 0, scoreMilliSum: 700 } })
  expect(await standingOf(peer)).toEqual({
    pointsMilli: '700',
    finalPointsMilli: '700',
    provisionalPointsMilli: '0',
    contestedPointsMilli: '0',
    contestedRounds: 0,
  })
})

test('openings and tasks are paid as told, and what everybody earned is what the contracts have, to the last wei', async () => {
  const { round, solver } = await playOpenings(chain, cast)
  await indexer.reachTip(chain)
  const told = await indexer.query<Record<string, { items: Record<string, string>[] }>>(`{
    openings(where: { round: ${round} }, orderBy: "scoreMilli") { items { evaluatorKey index scoreMilli paidWei } }
    agreedLeafs(where: { round: ${round} }) { items { shard index medianMilli } }
    taskPays(where: { round: ${round} }) { items { proposerKey amountWei isPaid } }
    earnings(where: { round: ${round} }, orderBy: "amountWei") { items { peerKey source amountWei } }
    purses(limit: 1000) { items { peerKey earnedWei claimedWei claimableWei } }
  }`)
  const { openings, agreedLeafs, taskPays, earnings, purses } = told
  const paid = openings?.items ?? []
  expect(paid.map(({ evaluatorKey, scoreMilli }) => [evaluatorKey, scoreMilli])).toEqual(
    cast.evaluators.map(({ peerKey }, seat) => [peerKey, 600 + 10 * seat]),
  )
  expect(agreedLeafs?.items).toEqual([{ shard: 0, index: 0, medianMilli: 610 }])
  // 4 m (1 - m) of 100.
  const task = { proposerKey: cast.proposer.peerKey, amountWei: `9516${'0'.repeat(16)}`, isPaid: true }
  expect(taskPays?.items).toEqual([task])
  const earned = (source: string) => earnings?.items.filter(one => one.source === source)
  expect(earned('score')).toEqual([{ peerKey: solver.peerKey, source: 'score', amountWei: `1${'0'.repeat(21)}` }])
  expect(earned('task')).toEqual([{ peerKey: task.proposerKey, source: 'task', amountWei: task.amountWei }])
  expect(
    earned('opening')
      ?.map(({ peerKey, amountWei }) => [peerKey, amountWei])
      .sort(),
  ).toEqual(paid.map(({ evaluatorKey, paidWei }) => [evaluatorKey, paidWei]).sort())
  // Every peer's, over all rounds that this chain has seen.
  for (const { peerKey = '', earnedWei, ...held } of purses?.items ?? []) {
    expect(held).toEqual(await readNectarOf(chain, peerKey as Hex))
    expect(BigInt(earnedWei ?? 0)).toBe(BigInt(held.claimedWei ?? 0) + BigInt(held.claimableWei ?? 0))
  }
})

test('nothing but these events was needed, and no warning came of them', () => {
  expect(indexer.complaints).toEqual([])
})
