/** Nectar that a round mints at most. */
export const EMISSION = 1_300

/** Seats of the last jury of an appeal: what most of them find stands. */
const LAST_JURY = 23

/** The role's part of a round's seats; `stakes` is its part of all stakes. */
export type SeatRule = (round: number, stakes: number) => number

/** All seats are the role's in the first rounds, and none after them: the contract's rule. */
export function allUntil(rounds: number): SeatRule {
  return (round, stakes) => (round < rounds ? 1 : stakes)
}

/** Staked seats count from the start, and the role's part falls evenly to nothing. */
export function fewerEachRound(rounds: number): SeatRule {
  return (round, stakes) => Math.max(0, 1 - round / rounds) + Math.min(1, round / rounds) * stakes
}

/**
 * Nectar taken by a bootstrap role that is honest at first, and from a round on scores only its own accounts. The others stake all their
 * earnings, and appeal all their losses.
 *
 * @param emission - Nectar that a round mints.
 * @returns Nectar taken by the last round, and its part of all Nectar then.
 */
export function playTurn(
  rule: SeatRule,
  turnsAt: number,
  rounds: number,
  emission: (round: number) => number = () => EMISSION,
): { taken: number; part: number } {
  let [taken, others] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const stakes = taken + others === 0 ? 0 : taken / (taken + others)
    const won = round < turnsAt ? 0 : majorityChance(rule(round, stakes))
    taken += won * emission(round)
    others += (1 - won) * emission(round)
  }
  return { taken, part: taken / (taken + others) }
}

/** The last round in which a role can turn and hold most of all Nectar in the end. */
export function lastCapture(rule: SeatRule, rounds: number, emission?: (round: number) => number): number {
  let [captures, loses] = [0, rounds]
  while (loses - captures > 1) {
    const middle = (captures + loses) >> 1
    if (playTurn(rule, middle, rounds, emission).part > 0.5) captures = middle
    else loses = middle
  }
  return captures
}

/** The chance that most seats of the last jury are the role's, if `part` of all seats is. */
function majorityChance(part: number): number {
  let [chance, combinations] = [0, 1]
  for (let seats = 0; seats <= LAST_JURY; seats++) {
    if (2 * seats > LAST_JURY) chance += combinations * part ** seats * (1 - part) ** (LAST_JURY - seats)
    combinations = (combinations * (LAST_JURY - seats)) / (seats + 1)
  }
  return chance
}
