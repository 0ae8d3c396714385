/** Mean settled score of a round, 0 to 1; null where nobody got one. Peers that most evaluators called unavailable have no score, and not 0. */
export function meanReward(round: { scored: number; scoreMilliSum: number }): number | null {
  return round.scored === 0 ? null : round.scoreMilliSum / round.scored / 1000
}
