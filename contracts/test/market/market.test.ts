import assert from 'node:assert/strict'
import { test } from 'node:test'
import { network } from 'hardhat'
import { type Address, type Hex, keccak256 } from 'viem'
import { type RandomStream, randomStream } from '../../../node/model/src/base/random.ts'
import { verdictCommitment, verdictSalt } from '../../../node/src/chain/games/verdictCommitment.ts'
import { MarketModel } from './marketModel.ts'
import { measureMarketGas } from './measureMarketGas.ts'
import { holderOf, openMarket, type TestGame, TIMES } from './openMarket.ts'

/** Random games against the model; `npm run test:long` plays more. */
const GAMES = process.env.WAGGLE_LONG === undefined ? 3 : 150
const TOKEN = 10n ** 18n

type Market = Awaited<ReturnType<typeof openMarket>>

test('the market pays to the last unit what the plain model says, over random games', async () => {
  const market = await openMarket(await network.create())
  const bettors = market.accounts.slice(1, 5)
  for (const account of bettors) await market.fund(account, 2n ** 110n)
  await market.fund(market.judge, 2n ** 90n)
  const random = randomStream('market games', 'waggle')
  for (let game = 0; game < GAMES; game++) await playAgainstModel(market, bettors, random)
})

test('a bet and a claim stay within their gas bars', async () => {
  const { bets, claims } = await measureMarketGas()
  for (const gas of bets) assert(gas <= 110_000, `a bet takes ${gas} gas, the bar is 110000`)
  for (const gas of claims) assert(gas <= 60_000, `a claim takes ${gas} gas, the bar is 60000`)
})

test('a verdict committed to off chain is the one that the chain lets reveal', async () => {
  const it = await openMarket(await network.create())
  const [bettor, disputer, ...seated] = it.accounts.slice(1, 6) as [Address, Address, ...Address[]]
  for (const account of [it.judge, bettor, disputer]) await it.fund(account, 100n * TOKEN)
  const keys = seated.map(account => keccak256(account))
  for (const [i, account] of seated.entries()) await it.seats.write.seat([keys[i] ?? '0x', account])
  const secrets = { clues: ['a'], answer: 0, seed: `0x${'5e'.repeat(32)}` as const }
  const game = await it.open(secrets, { choices: 2, freeShares: TOKEN, minBet: TOKEN })
  const { gameId } = game
  await it.market.write.bet([gameId, 0, 1, 2n * TOKEN], { account: bettor })
  await it.revealClue(game, 0)
  await it.proveAnswer(game)
  await it.market.write.dispute([gameId], { account: disputer })
  await it.networkHelpers.mine(3)
  await it.market.write.drawCommittee([gameId])
  const placeOf = (seatKey: Hex) => ({ chainId: it.chainId, market: it.market.address, gameId, seatKey })
  for (const [i, account] of seated.entries()) {
    const place = placeOf(keys[i] ?? '0x')
    const commitment = verdictCommitment(place, 1, verdictSalt(place.seatKey, place))
    await it.market.write.commitVerdict([gameId, place.seatKey, commitment], { account })
  }
  await it.networkHelpers.time.increase(TIMES.disputeSec)
  for (const [i, account] of seated.entries()) {
    const place = placeOf(keys[i] ?? '0x')
    const salt = verdictSalt(place.seatKey, place)
    await it.market.write.revealVerdict([gameId, place.seatKey, 1, salt], { account })
  }
  await it.market.write.resolve([gameId])
  assert.equal((await it.market.read.gameOf([gameId])).answer, 1)
})

async function playAgainstModel(it: Market, bettors: Address[], random: RandomStream): Promise<void> {
  const below = random.integer
  const [rounds, choices] = [1 + below(4), 2 + below(15)]
  const minBet = 1n + BigInt(below(1_000))
  const freeShares = minBet << BigInt(below(50))
  const secrets = {
    clues: Array.from({ length: rounds }, (_, i) => `clue ${i}`),
    answer: below(choices),
    seed: `0x${below(2 ** 32)
      .toString(16)
      .padStart(64, '0')}` as const,
  }
  const game = await it.open(secrets, { choices, freeShares, minBet })
  const model = new MarketModel(choices, freeShares)
  for (let round = 0; round < rounds; round++) {
    for (let choice = 0; choice < choices; choice++) {
      const price = await it.market.read.priceOf([game.gameId, round, choice])
      assert.equal(price, model.price(choice))
    }
    for (let bet = 0; bet < 8; bet++) {
      const account = bettors[below(bettors.length)] as Address
      // Stakes of all sizes, and often the winner's choice, else hardly a game has more than one winner.
      const choice = below(3) === 0 ? secrets.answer : below(choices)
      const stake = minBet + (BigInt(below(2 ** 30)) << BigInt(below(60)))
      await placeInBoth(it, model, game, { account, choice, stake })
    }
    await it.revealClue(game, round)
    if (round + 1 < rounds) model.openRound()
  }
  await it.finish(game)
  const expected = model.payouts(secrets.answer)
  for (const account of bettors) {
    const due = expected.get(account) ?? 0n
    assert.equal(await it.market.read.claimableOf([game.gameId, holderOf(account)]), due)
    if (due === 0n) continue
    const before = (await it.token.read.balanceOf([account])) as bigint
    await it.market.write.claim([game.gameId], { account })
    assert.equal(((await it.token.read.balanceOf([account])) as bigint) - before, due)
  }
}

async function placeInBoth(
  it: Market,
  model: MarketModel,
  { gameId }: TestGame,
  { account, choice, stake }: { account: Address; choice: number; stake: bigint },
): Promise<void> {
  const [quoted] = await it.market.read.quote([gameId, choice, stake])
  const shares = model.bet(account, choice, stake)
  assert.equal(quoted, shares)
  const sent = it.market.write.bet([gameId, model.round, choice, stake], { account })
  if (shares === 0n) {
    await assert.rejects(sent, /PredictionMarket_ZeroShares/)
    return
  }
  await sent
  const held = await it.market.read.positionOf([gameId, choice, holderOf(account)])
  assert.deepEqual(held, [model.stakeOf(account, choice), model.sharesOf(account, choice)])
}
