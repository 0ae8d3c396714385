/** Mean settled score of a round, 0 to 1; null while nobody was settled, or none with a quorum. */
export function meanReward(round: { scored: number; unavailable: number; scoreMilliSum: number }): number | null {
  const counted = round.scored + round.unavailable
  return counted === 0 ? null : round.scoreMilliSum / counted / 1000
}
