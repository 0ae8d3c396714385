/**
 * Mean settled score of a round, 0 to 1; null if no peer got one. Peers that most evaluators called unavailable have no score, instead of
 * 0.
 */
export function meanReward(round: { scored: number; scoreMilliSum: number }): number | null {
  return round.scored === 0 ? null : round.scoreMilliSum / round.scored / 1000
}
