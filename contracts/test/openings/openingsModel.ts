import type { Verdict } from '../settlementModel.ts'

/**
 * A reference model of the pay for openings and tasks, in exact integers. Its only input is what everybody did; `Openings` must
 * agree with it.
 *
 * It has no lanes and no ring buffers: openings are a list.
 */
export const OPENING_EMISSION_WEI = 200n * 10n ** 18n
export const PROPOSER_EMISSION_WEI = 100n * 10n ** 18n
const TOLERANCE_MILLI = 25
const COMMITTEE_SEATS = 5n

/** A seat that opened the score of a leaf. */
export interface ModelOpening {
  readonly key: string
  /** Its vote on the peer. */
  readonly voteMilli: number
  /** Of the drawn leaf. */
  readonly scoreMilli: number
}

/** A proposer that says that the leaf answers its own task. */
interface ModelClaim {
  /** Whether the leaf names it. */
  readonly isNamed: boolean
  /** The task's place, and how many it proposed. */
  readonly taskIndex: number
  readonly count: number
}

const apart = (a: number, b: number) => Math.abs(a - b)

/** Whether a seat may open: its vote on the peer was counted, and lies within the tolerance of what was settled. */
export function mayOpen(voteMilli: number, isOwn: boolean, verdict: Verdict): boolean {
  return verdict.outcome === 'scored' && !isOwn && apart(voteMilli, verdict.scoreMilli) <= TOLERANCE_MILLI
}

/** The lower median of what was opened, by two seats at least. */
export function medianOpened(openings: readonly ModelOpening[]): number | null {
  const scores = openings.map(({ scoreMilli }) => scoreMilli).sort((a, b) => a - b)
  return scores.length < 2 ? null : (scores[Math.ceil(scores.length / 2) - 1] as number)
}

/** Peers with points, of a shard and of the round; and what the round weighs, and those before it. */
export interface ModelPart {
  readonly ofShard: number
  readonly ofRound: number
  readonly weight: number
  readonly meanWeight: number
}

/** Share of a shard in an emission. */
function partOf(wei: bigint, { ofShard, ofRound, weight, meanWeight }: ModelPart): bigint {
  const partWei = (wei * BigInt(ofShard)) / BigInt(ofRound)
  return weight < meanWeight ? (partWei * BigInt(weight)) / BigInt(meanWeight) : partWei
}

/** Pay of each seat: a fifth of the shard's part, less by how far its vote was from the peer's score. */
export function seatPay(openings: readonly ModelOpening[], settledMilli: number, part: ModelPart): Map<string, bigint> {
  const pay = new Map<string, bigint>()
  const medianMilli = medianOpened(openings)
  if (medianMilli === null) return pay
  const fullWei = partOf(OPENING_EMISSION_WEI, part) / COMMITTEE_SEATS
  const steps = BigInt(TOLERANCE_MILLI) + 1n
  for (const { key, voteMilli, scoreMilli } of openings) {
    if (apart(scoreMilli, medianMilli) > TOLERANCE_MILLI) continue
    pay.set(key, (fullWei * (steps - BigInt(apart(voteMilli, settledMilli)))) / steps)
  }
  return pay
}

/** Value of the leaf's task: 4 m (1 - m) of the shard's part, rounded down. */
export function taskPay(medianMilli: number, part: ModelPart): bigint {
  const learnability = 4n * BigInt(medianMilli) * BigInt(1000 - medianMilli)
  return partOf((PROPOSER_EMISSION_WEI * learnability) / 1_000_000n, part)
}

/** Whether a claim gets through: once a shard. */
export function mayClaim({ isNamed, taskIndex, count }: ModelClaim, isPaid: boolean): boolean {
  return isNamed && taskIndex < count && !isPaid
}
