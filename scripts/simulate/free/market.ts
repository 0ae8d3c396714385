import { MarketModel } from '../../../contracts/test/market/marketModel.ts'
import { randomStream } from '../../../node/model/src/base/random.ts'

/** An attack on the market, without seats or scores. */
interface MarketAttack {
  readonly name: string
  readonly defence: string
  /** Its gain over honest play with the same knowledge, in bets. */
  gain(isDefended: boolean, seed: number): number
}

const ONE = 10n ** 18n
const CHOICES = 4

/** Prices that follow a choice's popularity, in the manner of the first version: what few believe in is cheap, whenever. */
class PopularityMarket extends MarketModel {
  override rate(choice: number, round: number): bigint {
    const before = this.bets.filter(bet => bet.round < round)
    const sum = (bets: readonly { stake: bigint }[]) => bets.reduce((total, { stake }) => total + stake, ONE)
    return (ONE * sum(before)) / sum(before.filter(bet => bet.choice === choice)) / BigInt(CHOICES)
  }
}

/** Nobody believes in the winner at first; an equal bet on it comes a round later than it could. */
function gainByWaiting(isDefended: boolean, seed: number): number {
  const paid = (betsIn: number) => {
    const random = randomStream('bettors', String(seed))
    const market = isDefended ? new MarketModel(CHOICES, ONE / 10n) : new PopularityMarket(CHOICES, ONE / 10n)
    for (let round = 0; round < 2; round++) {
      if (round > 0) market.openRound()
      for (let bettor = 0; bettor < 8; bettor++) market.bet(`crowd ${bettor}`, random.integer(CHOICES - 1), ONE)
      market.bet('crowd', CHOICES - 1, ONE / 4n)
      if (round === betsIn) market.bet('own', CHOICES - 1, ONE)
    }
    return Number(market.payouts(CHOICES - 1).get('own') ?? 0n) / 1e18
  }
  return paid(1) - paid(0)
}

export const marketAttacks: readonly MarketAttack[] = [
  {
    name: 'waiting bettor',
    defence: 'of two equal bets on the winner the earlier never pays less',
    gain: gainByWaiting,
  },
]
