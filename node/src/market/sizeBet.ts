/** A choice of a game as it stands: what is staked on it, and the shares that divide the losing stakes. In tokens. */
export type ChoicePool = {
  readonly stake: number
  readonly shares: number /** Tokens for a share. */
  readonly price: number
}

type BetRule = {
  /** The most that the bettor may still lose in this game, tokens. */
  readonly budget: number
  readonly minBet: number
  /** The Judge's share of the losing stakes. */
  readonly fee: number
  /** Tokens that others are expected to add to each choice before the game ends: without it, nobody would bet first. */
  readonly expected: number
}

/** Share of Kelly's stake that is bet: beliefs are estimates, and half of the growth is worth a quarter of the variance. */
const KELLY_FRACTION = 0.5
const STEPS = 40

/**
 * The bet that makes the bettor's money grow most by its own beliefs, a fraction of Kelly's stake; null if none is worth the least bet.
 *
 * The market is parimutuel: a bet on the winner brings its stake back and a share of the losing stakes, so that what it brings falls with its size.
 *
 * @param belief - probabilities of the choices, summing to 1.
 * @see Kelly, A New Interpretation of Information Rate, 1956; Isaacs, Optimal Horse Race Bets, 1953, for the parimutuel case.
 */
export function sizeBet(
  belief: readonly number[],
  pools: readonly ChoicePool[],
  { budget, minBet, fee, expected }: BetRule,
): { choice: number; stake: number } | null {
  if (budget < minBet) return null
  let best = { choice: -1, stake: 0, growth: 0 }
  for (const choice of pools.keys()) {
    const growth = (stake: number) =>
      growthOf(belief[choice] ?? 0, (1 - fee) * gainOf(pools, choice, stake, expected), stake, budget)
    const stake = KELLY_FRACTION * likeliestStake(growth, budget)
    if (stake >= minBet && growth(stake) > best.growth) best = { choice, stake, growth: growth(stake) }
  }
  return best.choice < 0 ? null : { choice: best.choice, stake: best.stake }
}

/** Gain of a stake from the losing stakes before the fee, if its choice is right and others bet as expected. */
function gainOf(pools: readonly ChoicePool[], choice: number, stake: number, expected: number): number {
  const pool = pools[choice] as ChoicePool
  const losing = pools.reduce((sum, other, at) => sum + (at === choice ? 0 : other.stake + expected), 0)
  const shares = stake / pool.price
  return (losing * shares) / (pool.shares + expected / pool.price + shares)
}

/** Expected growth of the logarithm of the budget. */
function growthOf(probability: number, gain: number, stake: number, budget: number): number {
  return probability * Math.log1p(gain / budget) + (1 - probability) * Math.log1p(-stake / budget)
}

/** Growth is concave in the stake: golden section. */
function likeliestStake(growth: (stake: number) => number, budget: number): number {
  const golden = (Math.sqrt(5) - 1) / 2
  let [low, high] = [0, 0.999 * budget]
  for (let step = 0; step < STEPS; step++) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)]
    if (growth(left) > growth(right)) high = right
    else low = left
  }
  return (low + high) / 2
}
