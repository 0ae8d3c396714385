const ONE = 10n ** 18n
const FLOOR = ONE / 5n

export interface Position {
  stake: bigint
  shares: bigint
}

/** A game of the market in exact integers, written the plain way: nothing is cached, nothing is packed. */
export class MarketModel {
  readonly choices: number
  readonly virtualStake: bigint
  /** Stakes of every choice at the opening of each round so far. */
  readonly openings: bigint[][]
  readonly positions = new Map<string, Position[]>()

  constructor(choices: number, virtualStake: bigint) {
    this.choices = choices
    this.virtualStake = virtualStake
    this.openings = [Array.from({ length: choices }, () => 0n)]
  }

  get round(): number {
    return this.openings.length - 1
  }

  openRound(): void {
    this.openings.push(Array.from({ length: this.choices }, (_, choice) => this.stakeOn(choice)))
  }

  /** max(n (B_c + V)^2 / sum_j (B_j + V)^2, 1/5) (3/2)^r, 1e18 fixed point, rounded up at each of the two steps. */
  price(round: number, choice: number): bigint {
    const squares = this.openingsOf(round).map(stake => (stake + this.virtualStake) ** 2n)
    const sum = squares.reduce((total, square) => total + square, 0n)
    const base = ceilDiv(BigInt(this.choices) * ONE * (squares[choice] ?? 0n), sum)
    return ceilDiv((base < FLOOR ? FLOOR : base) * 3n ** BigInt(round), 2n ** BigInt(round))
  }

  /** What the choice still takes in this round; no limit in the first. */
  room(choice: number): bigint | undefined {
    if (this.round === 0) return undefined
    const opening = this.openingsOf(this.round)[choice] ?? 0n
    return opening + this.virtualStake - (this.stakeOn(choice) - opening)
  }

  /** @returns shares bought, or undefined if the bet is refused. */
  bet(holder: string, choice: number, stake: bigint): bigint | undefined {
    const room = this.room(choice)
    const shares = (stake * ONE) / this.price(this.round, choice)
    if (shares === 0n || (room !== undefined && stake > room)) return undefined
    const position = this.positionsOf(holder)[choice]
    if (position === undefined) return undefined
    position.stake += stake
    position.shares += shares
    return shares
  }

  /** Who gets what if `winner` is right; where nobody bet on it, everybody's stakes. */
  payouts(winner: number): Map<string, bigint> {
    const shares = this.sum(winner, 'shares')
    if (shares === 0n) return this.refunds(0n)
    const losing = this.total() - this.stakeOn(winner)
    return this.each(positions => {
      const own = positions[winner] ?? { stake: 0n, shares: 0n }
      return own.stake + (own.shares * losing) / shares
    })
  }

  /** All stakes back, and a forfeited bond in proportion to them. */
  refunds(pot: bigint): Map<string, bigint> {
    const total = this.total()
    return this.each(positions => {
      const stake = positions.reduce((sum, own) => sum + own.stake, 0n)
      return stake + (total === 0n ? 0n : (pot * stake) / total)
    })
  }

  stakeOn(choice: number): bigint {
    return this.sum(choice, 'stake')
  }

  total(): bigint {
    return Array.from({ length: this.choices }, (_, choice) => this.stakeOn(choice)).reduce((a, b) => a + b, 0n)
  }

  positionsOf(holder: string): Position[] {
    const known = this.positions.get(holder) ?? Array.from({ length: this.choices }, () => ({ stake: 0n, shares: 0n }))
    this.positions.set(holder, known)
    return known
  }

  private openingsOf(round: number): bigint[] {
    const stakes = this.openings[round]
    if (stakes === undefined) throw new RangeError(`round ${round} has not opened`)
    return stakes
  }

  private sum(choice: number, what: keyof Position): bigint {
    return [...this.positions.values()].reduce((total, own) => total + (own[choice]?.[what] ?? 0n), 0n)
  }

  private each(payout: (positions: Position[]) => bigint): Map<string, bigint> {
    return new Map([...this.positions].map(([holder, positions]) => [holder, payout(positions)]))
  }
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}
