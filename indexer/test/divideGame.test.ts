import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { FEE_BPS, MarketModel } from '../../contracts/test/market/marketModel.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { divideGame } from '../src/divideGame.ts'

const [CHOICES, HOLDERS, BETS, GAMES] = [3, 4, 24, 40]

/** Games of random bets, of which some rounds are larger than their cap and some choices have no bets. */
function drawGame(seed: string) {
  const random = seededRandom(seed)
  const market = new MarketModel(CHOICES, BigInt(random.between(1, 1_000)) * 10n ** 15n)
  for (let at = 0; at < BETS; at++) {
    if (random.between(0, 5) === 0 && market.round < 8) market.openRound()
    const stake = BigInt(random.between(1, 10 ** random.between(1, 9))) * 10n ** 10n + BigInt(random.between(0, 9))
    market.bet(`0x0${random.between(1, HOLDERS)}`, random.between(0, CHOICES - 1), stake)
  }
  return market
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n)

test('claims of a game equal those of the market’s model', () => {
  for (let number = 0; number < GAMES; number++) {
    const market = drawGame(`game ${number}`)
    const bets = market.bets.map(bet => ({ ...bet, holder: bet.holder as Hex }))
    const losing = sum(bets.filter(({ choice }) => choice !== 1).map(({ stake }) => stake))
    const pot = losing - (losing * BigInt(FEE_BPS)) / 10_000n
    const paid = [...market.payouts(1)].filter(([, payout]) => payout > 0n)
    const divided = divideGame(bets, { winner: 1, pot, freeShares: market.freeShares })
    expect([...divided].sort(), `game ${number}`).toEqual(paid.sort())
  }
})

test('a game without a winner returns all stakes, with a share of what the Judge forfeited', () => {
  const bet = (holder: Hex, choice: number, stake: bigint) => ({ holder, choice, stake, round: choice })
  const bets = [bet('0x01', 0, 10n), bet('0x02', 1, 20n), bet('0x01', 1, 30n)]
  const divided = divideGame(bets, { winner: null, pot: 7n, freeShares: 1n })
  expect([...divided]).toEqual([
    ['0x01', 40n + 4n],
    ['0x02', 20n + 2n],
  ])
})
