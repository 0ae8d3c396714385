import { EMISSION_WEI, EVALUATOR_STAKE_WEI, OVERTURNED_MILLI, TOLERANCE_MILLI } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'

/**
 * Least difference between a settled score and this peer's own, thousandths. A jury's verdict replaces a score that is more than the
 * tolerance away, and honest scores are within the tolerance of each other. So any honest jury replaces a score that is more than twice
 * the tolerance away.
 */
const CLEARLY_OFF_MILLI = 2 * TOLERANCE_MILLI

/**
 * Seats that voted `unavailable` where the others gave a score. A jury that finds no bundle either removes that score; a peer that is
 * alone in not reaching the author does not appeal automatically.
 */
export const FEWEST_MISSED = 2

/** Approximate gas of an appeal. */
const APPEAL_GAS = 211_000n

const WEI = 1e18

/** Slash of an overturned committee seat, as long as its stake lasts. Half of it is paid to the appellant: ADR 0091. */
const OVERTURNED_WEI = (EVALUATOR_STAKE_WEI * BigInt(OVERTURNED_MILLI)) / 1_000n

const EMISSION_NECTAR = Number(EMISSION_WEI) / WEI

export type AppealTerms = {
  bondWei: bigint
  gasPriceWei: bigint
  /** Value of a Nectar in the chain's coin. */
  nectarPrice: number
  /** Stakes that are left to seats; of none in bootstrap, whose seats are not slashed. */
  stakesWei: ReadonlyMap<PeerKey, bigint>
  /** Least divisor of the round's emission, points in thousandths: driving peers away gains nothing (ADR 0170). */
  leastMilli: number
}

/** The vote of a seat on a peer. */
export type Ballot = { seatKey: PeerKey; vote: number }

/** A settled score, with the points that an appeal would help: this peer's for its own score, those of all others for a rival's. */
export type Settled = {
  isOwn: boolean
  settledMilli: number
  gainingMilli: number
  /** Sum of the scores of all peers of the round. */
  totalMilli: number
  /** Scores of the committee's seats. */
  votes: readonly Ballot[]
}

export function isClearlyOff(settledMilli: number, foundMilli: number): boolean {
  return Math.abs(settledMilli - foundMilli) > CLEARLY_OFF_MILLI
}

/**
 * Nectar of the emission that those points gain if the score found replaces the settled one. For a rival's score all others count: peers take
 * turns at appeals, so that each pays for one of many and gains by all.
 *
 * @see docs/adr/0186-an-appellant-reckons-for-all.md
 */
export function nectarBack(
  { isOwn, settledMilli, gainingMilli, totalMilli }: Settled,
  foundMilli: number,
  { leastMilli }: Pick<AppealTerms, 'leastMilli'>,
): number {
  const share = (points: number, total: number) => (points <= 0 ? 0 : points / Math.max(total, leastMilli))
  const before = share(gainingMilli, totalMilli)
  const after = share(isOwn ? foundMilli : gainingMilli, totalMilli - settledMilli + foundMilli)
  return EMISSION_NECTAR * (after - before)
}

/** Nectar from overturned seats: those whose vote is outside the tolerance of the score found. A stake lasts for two overturned votes. */
export function nectarOfSeats({ votes }: Settled, foundMilli: number, { stakesWei }: AppealTerms): number {
  const overturned = votes.filter(({ vote }) => Math.abs(vote - foundMilli) > TOLERANCE_MILLI)
  const lostWei = overturned.map(({ seatKey }) => least(stakesWei.get(seatKey) ?? 0n, OVERTURNED_WEI))
  return Number(lostWei.reduce((sum, wei) => sum + wei, 0n) / 2n) / WEI
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)

/** Cost of a successful appeal, in the chain's coin: half of the bond pays the seats. */
export function costOfAppeal({ bondWei, gasPriceWei }: AppealTerms): number {
  return Number(bondWei / 2n + APPEAL_GAS * gasPriceWei) / WEI
}

/** Whether a successful appeal earns its appellant more than it costs. */
export function isWorthIt(settled: Settled, foundMilli: number, terms: AppealTerms): boolean {
  const nectar = nectarBack(settled, foundMilli, terms) + nectarOfSeats(settled, foundMilli, terms)
  return nectar * terms.nectarPrice > costOfAppeal(terms)
}
