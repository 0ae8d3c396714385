/** The Judge's part of the losing stakes, in ten-thousandths. */
export const FEE_BPS = 200
const ONE = 10n ** 18n

interface Bet {
  readonly holder: string
  readonly round: number
  readonly choice: number
  readonly stake: bigint
}

/** A reference model of one game, in exact integers: a list of bets, from which everything else is computed. */
export class MarketModel {
  readonly choices: number
  readonly freeShares: bigint
  readonly bets: Bet[] = []
  round = 0

  constructor(choices: number, freeShares: bigint) {
    this.choices = choices
    this.freeShares = freeShares
  }

  openRound(): void {
    this.round++
  }

  /** Tokens for a share now, 1e18 fixed point, rounded up. */
  price(choice: number): bigint {
    return (ONE * ONE + this.rate(choice, this.round) - 1n) / this.rate(choice, this.round)
  }

  /**
   * 1.5^-round, no more than the rate of an earlier round with bets on the choice; and where the choice has shares, no more than makes
   * the round's bets a tenth of them and the free shares.
   */
  rate(choice: number, round: number): bigint {
    const earlier = this.roundsOn(choice).filter(other => other < round)
    const rates = earlier.map(other => this.rate(choice, other))
    const ceiling = [...rates, (ONE * 2n ** BigInt(round)) / 3n ** BigInt(round)].reduce((a, b) => (a < b ? a : b))
    if (earlier.length === 0) return ceiling
    const opening = earlier.reduce((sum, other) => sum + this.added(choice, other), 0n)
    const most = opening / 10n + this.freeShares
    const stake = this.sum(bet => bet.choice === choice && bet.round === round)
    return (stake * ceiling) / ONE > most ? (most * ONE) / stake : ceiling
  }

  /** @returns shares bought if nothing follows in the round; 0 if the bet is refused. */
  bet(holder: string, choice: number, stake: bigint): bigint {
    this.bets.push({ holder, round: this.round, choice, stake })
    const shares = (stake * this.rate(choice, this.round)) / ONE
    if (shares === 0n) this.bets.pop()
    return shares
  }

  stakeOf(holder: string, choice: number): bigint {
    return this.sum(bet => bet.holder === holder && bet.choice === choice)
  }

  sharesOf(holder: string, choice: number): bigint {
    return this.roundsOn(choice).reduce((sum, round) => {
      const stake = this.sum(bet => bet.holder === holder && bet.choice === choice && bet.round === round)
      return sum + (stake * this.rate(choice, round)) / ONE
    }, 0n)
  }

  /** Payouts by account if `winner` is right, as the Judge said; if nobody bet on it, everybody's stakes. */
  payouts(winner: number): Map<string, bigint> {
    const holders = new Set(this.bets.map(({ holder }) => holder))
    const won = this.sum(({ choice }) => choice === winner)
    const losing = this.sum(() => true) - won
    const pot = losing - (losing * BigInt(FEE_BPS)) / 10_000n
    const shares = this.roundsOn(winner).reduce((sum, round) => sum + this.added(winner, round), 0n)
    const payout = (holder: string) => {
      if (won === 0n) return this.sum(bet => bet.holder === holder)
      return this.stakeOf(holder, winner) + (this.sharesOf(holder, winner) * pot) / shares
    }
    return new Map([...holders].map(holder => [holder, payout(holder)]))
  }

  private added(choice: number, round: number): bigint {
    return (this.sum(bet => bet.choice === choice && bet.round === round) * this.rate(choice, round)) / ONE
  }

  private roundsOn(choice: number): number[] {
    return [...new Set(this.bets.filter(bet => bet.choice === choice).map(({ round }) => round))]
  }

  private sum(counts: (bet: Bet) => boolean): bigint {
    return this.bets.filter(counts).reduce((total, { stake }) => total + stake, 0n)
  }
}
