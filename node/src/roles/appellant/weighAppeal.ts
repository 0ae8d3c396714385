import { TOLERANCE_MILLI } from '@waggle/deployments/protocol'

/**
 * How far a settled score must be from what this peer finds itself, thousandths.
 *
 * A jury's verdict replaces a score that is more than the tolerance away from it, and readings of honest judges lie within the tolerance of
 * each other. So a score that is more than twice as far away is replaced, whichever honest jury reads it.
 */
const CLEARLY_OFF_MILLI = 2 * TOLERANCE_MILLI

/**
 * Seats of a committee that found nothing where the others gave a score. A jury that finds nothing either takes that away; who alone can't
 * reach a peer does not appeal automatically.
 */
export const FEWEST_MISSED = 2

/** Of an appeal, about. */
const APPEAL_GAS = 211_000n

/** Half of what an overturned seat of a committee loses, Nectar: ADR 0091. */
export const OVERTURNED_NECTAR = 25

/** Nectar of a round: `EMISSION_WEI` of `IEarnings`. */
const EMISSION_NECTAR = 1_000

const WEI = 1e18

export type AppealTerms = {
  bondWei: bigint
  gasPriceWei: bigint
  /** What a Nectar is worth, in the chain's coin. */
  nectarPrice: number
  /** What comes back of each seat's stake that is overturned, Nectar; 0 in bootstrap, whose seats have no stake. */
  overturnedNectar: number
  /** Points, thousandths, by which the round's emission is divided at least: what was driven away leaves nothing to others (ADR 0170). */
  leastMilli: number
}

/** A score as it was settled, next to the own one of the round. */
export type Settled = {
  isOwn: boolean
  settledMilli: number
  ownMilli: number
  /** Of all peers of the round. */
  totalMilli: number
  /** The scores that seats of the committee gave it. */
  votes: readonly number[]
}

export function isClearlyOff(settledMilli: number, foundMilli: number): boolean {
  return Math.abs(settledMilli - foundMilli) > CLEARLY_OFF_MILLI
}

/** Nectar of the round's emission that the own share gains if the score becomes the one that was found. */
export function nectarBack(
  { isOwn, settledMilli, ownMilli, totalMilli }: Settled,
  foundMilli: number,
  { leastMilli }: Pick<AppealTerms, 'leastMilli'>,
): number {
  const share = (own: number, total: number) => (own <= 0 ? 0 : own / Math.max(total, leastMilli))
  const before = share(ownMilli, totalMilli)
  const after = share(isOwn ? foundMilli : ownMilli, totalMilli - settledMilli + foundMilli)
  return EMISSION_NECTAR * (after - before)
}

/** Nectar of overturned seats that comes back: of each whose vote is beyond the tolerance of what was found. */
export function nectarOfSeats({ votes }: Settled, foundMilli: number, { overturnedNectar }: AppealTerms): number {
  return overturnedNectar * votes.filter(vote => Math.abs(vote - foundMilli) > TOLERANCE_MILLI).length
}

/** What an appeal costs who is right, in the chain's coin: half of the bond pays the seats. */
export function costOfAppeal({ bondWei, gasPriceWei }: AppealTerms): number {
  return Number(bondWei / 2n + APPEAL_GAS * gasPriceWei) / WEI
}

/** Whether an appeal brings its appellant more than it costs, if the score becomes the one that was found. */
export function isWorthIt(settled: Settled, foundMilli: number, terms: AppealTerms): boolean {
  const nectar = nectarBack(settled, foundMilli, terms) + nectarOfSeats(settled, foundMilli, terms)
  return nectar * terms.nectarPrice > costOfAppeal(terms)
}
