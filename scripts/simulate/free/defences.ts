/** Rules of the mechanism that can be switched off, to show what an attack earns without them. */
export interface Defences {
  /** A key counts from the second round after its registration. */
  readonly keysWait: boolean
  /** Tasks are chain data, and settled when their round begins. */
  readonly tasksOnChain: boolean
  /** Proposers' seeds come from secrets. */
  readonly secretSeeds: boolean
  /** Answers are served once commitments are closed. */
  readonly sealedAnswers: boolean
  /** Evaluators check that a drawn leaf was sampled from policy and seed. */
  readonly samplingChecked: boolean
  /** A score pays at most five quarters of the mean of its key's last eight, and a round no more for it than those before. */
  readonly scoresAveraged: boolean
  /** While an appeal of `unavailable` is open, its round counts what two votes or more had it, times their share; not one vote alone. */
  readonly heldByShare: boolean
  /** Honest peers appeal a score that they find nothing for, and a jury that finds nothing takes it away. */
  readonly nothingTaken: boolean
  /** Absences in an outage are not penalised. */
  readonly outagesForgiven: boolean
  /** An appeal pays its seats, whatever they find. */
  readonly appealsPaySeats: boolean
  /** Honest peers appeal a wrong score where it costs them more than the appeal does. */
  readonly honestAppeals: boolean
}

export const ALL_DEFENCES: Defences = {
  keysWait: true,
  tasksOnChain: true,
  secretSeeds: true,
  sealedAnswers: true,
  samplingChecked: true,
  scoresAveraged: true,
  heldByShare: true,
  nothingTaken: true,
  outagesForgiven: true,
  appealsPaySeats: true,
  honestAppeals: true,
}

/** Conditions of a game. */
export interface Setting {
  readonly defences: Defences
  /** Rounds of work in which reveals are impossible, since the chain is unreachable. */
  readonly outages: readonly number[]
}

export const SETTING: Setting = { defences: ALL_DEFENCES, outages: [] }
