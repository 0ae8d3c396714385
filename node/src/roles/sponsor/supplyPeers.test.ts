import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxEntry, OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createSponsorBook } from '#store/sponsorBook.ts'
import { createSponsorFunds, DAY_MS, HOUR_MS } from './sponsorFunds.ts'
import { sponsorSettingsSchema } from './sponsorSettings.ts'
import { createSupply } from './supplyPeers.ts'

const own: Hex = `0x${'99'.repeat(20)}`
const keyOf = (peer: number): Hex => `0x${String(peer).padStart(64, '0')}`
const accountOf = (peer: number): Hex => `0x${String(peer).padStart(40, '0')}`
/** With the margin, a round's gas is 0.001 of the coin. */
const gasPriceWei = parseEther('0.001') / 300_000n
const rounds = (count: number) => BigInt(count) * gasPriceWei * 300_000n

/** Peers 1 and 2, or so many, are sponsored, and have nothing. */
function sponsored(settings: object = {}, count = 2) {
  const clock = createManualClock(1e12)
  const book = createSponsorBook(openDatabase(':memory:'), clock.nowMs())
  const balances = new Map<string, bigint>([[own, parseEther('5')]])
  const holders = new Map<string, Hex>()
  const coded = new Set<string>()
  const worked: { peerKey: Hex }[] = []
  const asked: Hex[] = []
  for (let peer = 1; peer <= count; peer++) {
    book.add({ peerKey: keyOf(peer), account: accountOf(peer), sinceMs: clock.nowMs() })
    holders.set(keyOf(peer), accountOf(peer))
  }
  const reads = {
    readGasPrice: async () => gasPriceWei,
    readBalance: async (account: Hex) => balances.get(account) ?? 0n,
    async readAccountOf(peerKey: Hex) {
      asked.push(peerKey)
      return holders.get(peerKey) ?? null
    },
    readHasCode: async (account: Hex) => coded.has(account),
    readRolloutCommitments: async () => worked as never[],
    readRevealedVotes: async () => [],
    readProposals: async () => [],
  }
  const sent: { to: Hex; rounds: number }[] = []
  const known = new Map<string, TxOutcome>()
  /** Outcomes of the next transfers; mined by default. */
  const outcomes: TxOutcome[] = []
  const send = async ({ key, to, valueWei = 0n }: OutboxIntent): Promise<TxOutcome> => {
    const before = known.get(key)
    if (before !== undefined) return before
    const outcome = outcomes.shift() ?? { status: 'mined', hash: '0x', block: 1 }
    known.set(key, outcome)
    if (outcome.status !== 'mined') return outcome
    balances.set(to, (balances.get(to) ?? 0n) + valueWei)
    sent.push({ to, rounds: Number(valueWei / rounds(1)) })
    return outcome
  }
  const outbox = { get: (key: string) => (known.has(key) ? ({ key } as OutboxEntry) : undefined) }
  const parsed = sponsorSettingsSchema.parse(settings)
  const funds = createSponsorFunds({ reads, book, clock, settings: parsed, account: own })
  const supply = createSupply({ reads, book, funds, send, outbox, clock, logger: silentLogger })
  return {
    ...{ clock, balances, book, holders, coded, known, outcomes, supply, funds, asked },
    work: (...peers: number[]) => worked.splice(0, worked.length, ...peers.map(peer => ({ peerKey: keyOf(peer) }))),
    /** Payments of one poll, by peer, in rounds of gas. */
    async look(round: number) {
      await supply.look(round)
      return sent.splice(0).map(({ to, rounds }) => [Number(to.slice(2)), rounds])
    },
  }
}

test('an account has gas for its first rounds once, and for as long as its peer works', async () => {
  const { balances, look, work } = sponsored({ 'peer-budget': '1', budget: '2' })
  expect(await look(0)).toEqual([
    [1, 6],
    [2, 6],
  ])
  // A peer that takes it and does nothing gets no more.
  balances.set(accountOf(2), 0n)
  work(1)
  expect(await look(1)).toEqual([[1, 18]])
  expect(await look(2)).toEqual([])
  balances.set(accountOf(1), rounds(11))
  expect(await look(3)).toEqual([[1, 13]])
  work()
  balances.set(accountOf(1), rounds(2))
  expect(await look(9)).toEqual([[1, 22]])
  balances.set(accountOf(1), 0n)
  expect(await look(10)).toEqual([])
  work(1)
  expect(await look(11)).toEqual([[1, 24]])
})

test('a sponsor that was empty supplies its peers again, a day after the last payment, and a peer that takes it and does nothing once a day', async () => {
  const { balances, clock, look, work } = sponsored({ 'peer-budget': '1', budget: '2' })
  work(1)
  await look(0)
  const ownWei = balances.get(own) as bigint
  balances.set(own, 0n)
  work()
  for (const peer of [1, 2]) balances.set(accountOf(peer), 0n)
  expect(await look(20)).toEqual([])
  balances.set(own, ownWei)
  expect(await look(21)).toEqual([])
  clock.advance(DAY_MS + 1)
  expect(await look(22)).toEqual([[1, 6]])
  work(1)
  expect(await look(23)).toEqual([[1, 18]])
  work()
  balances.set(accountOf(1), 0n)
  expect(await look(40)).toEqual([])
  for (const round of [41, 42]) {
    clock.advance(DAY_MS + 1)
    balances.set(accountOf(1), 0n)
    expect(await look(round)).toEqual([[1, 6]])
    balances.set(accountOf(1), 0n)
    expect(await look(round)).toEqual([])
  }
})

test('peers that stopped get a quarter of the budget of a day together, after those that work', async () => {
  const { balances, clock, look, work } = sponsored({ budget: '0.1' }, 22)
  const all = Array.from({ length: 22 }, (_, at) => at + 1)
  work(...all)
  await look(0)
  for (const round of [20, 200, 400]) {
    clock.advance(DAY_MS + 1)
    for (const peer of all) balances.set(accountOf(peer), 0n)
    // The newest two: the book names the oldest first.
    work(21, 22)
    const paid = await look(round)
    expect(paid.slice(0, 2)).toEqual([
      [21, 20],
      [22, 20],
    ])
    expect(paid.slice(2).reduce((sum, [, rounds]) => sum + Number(rounds), 0)).toBe(25)
  }
})

test('a peer that stopped and keeps its gas is polled once an hour', async () => {
  const { asked, clock, look, work } = sponsored({ 'peer-budget': '1', budget: '2' })
  work(1, 2)
  await look(0)
  work(2)
  clock.advance(DAY_MS + 1)
  const askedIn = async (round: number) => {
    asked.length = 0
    await look(round)
    return asked.map(key => Number(key))
  }
  expect(await askedIn(20)).toEqual([2, 1])
  expect(await askedIn(21)).toEqual([2])
  clock.advance(HOUR_MS)
  expect(await askedIn(22)).toEqual([2, 1])
})

test('no peer gets more than its budget of a day, all no more than theirs, and the sponsor keeps what it needs', async () => {
  const { balances, clock, funds, look, work } = sponsored({ 'peer-budget': '0.03', budget: '0.045' })
  work(1, 2)
  expect(await look(0)).toEqual([
    [1, 24],
    [2, 21],
  ])
  expect(await funds.isLow()).toBe(true)
  for (const peer of [1, 2]) balances.set(accountOf(peer), 0n)
  expect(await look(1)).toEqual([])
  clock.advance(DAY_MS + 1)
  balances.set(own, rounds(10))
  expect(await look(2)).toEqual([
    [1, 9],
    [2, 9],
  ])
  balances.set(own, rounds(1))
  for (const peer of [1, 2]) balances.set(accountOf(peer), 0n)
  expect(await look(3)).toEqual([])
  expect(await funds.forRegistration()).toBeNull()
})

test('a peer that moved to another account, and an account that runs code, get nothing', async () => {
  const { coded, holders, look } = sponsored()
  holders.set(keyOf(1), accountOf(7))
  coded.add(accountOf(2))
  expect(await look(0)).toEqual([])
})

test('a transfer that is dropped may have been mined: it stays spent, and is not made again', async () => {
  const { funds, look, outcomes } = sponsored()
  outcomes.push({ status: 'dropped', reason: 'its nonce is used' })
  expect(await look(0)).toEqual([[2, 6]])
  expect(await look(1)).toEqual([])
  expect(funds.spentWei(keyOf(1))).toBe(rounds(6))
})

test('a transfer that fails is not spent, and is made again', async () => {
  const { funds, look, outcomes } = sponsored()
  outcomes.push({ status: 'reverted', error: 'no funds', hash: null })
  expect(await look(0)).toEqual([[2, 6]])
  expect(funds.spentWei(keyOf(1))).toBe(0n)
  expect(await look(1)).toEqual([[1, 6]])
  expect(funds.spentWei(keyOf(1))).toBe(rounds(6))
})

test('a payment that a crash kept from the outbox is not spent', async () => {
  const { book, clock, funds, look, supply } = sponsored()
  book.pay({ peerKey: keyOf(1), kind: 'gas', wei: rounds(6), atMs: clock.nowMs() })
  await supply.resume()
  expect(funds.spentWei()).toBe(0n)
  expect(await look(0)).toEqual([
    [1, 6],
    [2, 6],
  ])
  await supply.resume()
  expect(funds.spentWei()).toBe(rounds(12))
})

test('a payment that a stop interrupted is followed at the next start', async () => {
  const { funds, known, look, outcomes, supply } = sponsored()
  outcomes.push({ status: 'mined', hash: '0x', block: 1 }, { status: 'stopped' })
  expect(await look(0)).toEqual([[1, 6]])
  expect(funds.spentWei(keyOf(2))).toBe(rounds(6))
  for (const [key, { status }] of known)
    if (status === 'stopped') known.set(key, { status: 'reverted', error: 'no funds', hash: null })
  await supply.resume()
  expect(funds.spentWei(keyOf(2))).toBe(0n)
})
