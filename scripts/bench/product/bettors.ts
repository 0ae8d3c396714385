import { FEE_BPS, MarketModel } from '../../../contracts/test/market/marketModel.ts'
import { type ChoicePool, sizeBet } from '../../../node/src/market/sizeBet.ts'

/** A question as bettors meet it: their beliefs before each of its rounds, and the answer. */
export interface PlayedQuestion {
  /** By bettor, by round: probabilities of the choices. */
  beliefs: Record<string, number[][]>
  choices: number
  rounds: number
  answer: number
}

const UNIT = 10 ** 9
const BUDGET = 1
const MIN_BET = 0.01
/** A solver's expectation of the other bets; see the bettor's own rule. */
const EXPECTED = 0.1
const FREE_SHARES = 0.1

const toUnits = (tokens: number) => BigInt(Math.floor(tokens * UNIT))
const toTokens = (units: bigint) => Number(units) / UNIT

/**
 * Plays a question by the market's own rules and gives what each bettor won or lost, in Nectar; null for one that did not bet.
 *
 * Bettors see the pools as they are when a round opens and bet at the same time, as all bets of a round have one rate.
 */
export function playQuestion({ beliefs, choices, rounds, answer }: PlayedQuestion): Record<string, number | null> {
  const market = new MarketModel(choices, toUnits(FREE_SHARES))
  const spent = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    if (round > 0) market.openRound()
    const pools = poolsOf(market)
    const bets = Object.entries(beliefs).flatMap(([name, byRound]) => {
      const budget = BUDGET - (spent.get(name) ?? 0)
      const bet = sizeBet(byRound[round] ?? [], pools, {
        budget,
        minBet: MIN_BET,
        fee: FEE_BPS / 10_000,
        expected: EXPECTED,
      })
      return bet === null ? [] : [{ name, ...bet }]
    })
    for (const { name, choice, stake } of bets) {
      if (market.bet(name, choice, toUnits(stake)) > 0n) spent.set(name, (spent.get(name) ?? 0) + stake)
    }
  }
  const payouts = market.payouts(answer)
  return Object.fromEntries(
    Object.keys(beliefs).map(name => {
      const staked = spent.get(name)
      return [name, staked === undefined ? null : toTokens(payouts.get(name) ?? 0n) - staked]
    }),
  )
}

function poolsOf(market: MarketModel): ChoicePool[] {
  const holders = [...new Set(market.bets.map(({ holder }) => holder))]
  const sum = (of: (holder: string) => bigint) => toTokens(holders.reduce((total, holder) => total + of(holder), 0n))
  return Array.from({ length: market.choices }, (_, choice) => ({
    stake: sum(holder => market.stakeOf(holder, choice)),
    shares: sum(holder => market.sharesOf(holder, choice)),
    price: toTokens((market.price(choice) * BigInt(UNIT)) / 10n ** 18n),
  }))
}

/** Mean advantage of one bettor over another a game, over games in which both bet. */
export function edgeOf(profits: readonly Record<string, number | null>[], better: string, worse: string) {
  const both = profits.flatMap(({ [better]: own, [worse]: other }) =>
    own == null || other == null ? [] : [own - other],
  )
  const all = profits.map(({ [better]: own, [worse]: other }) => (own ?? 0) - (other ?? 0))
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length
  const variance = all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (all.length - 1)
  return { games: all.length, both: both.length, mean, low: mean - 1.96 * Math.sqrt(variance / all.length) }
}
