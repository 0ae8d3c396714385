import { UNAVAILABLE } from '../settlementModel.ts'

/**
 * A reference model of appeals in exact integers. Its only input is what everybody did; `Challenges` must agree with it.
 *
 * It has no histograms, packed words or pull payments: votes are lists, money is a map.
 */
const TOLERANCE_MILLI = 25

/** The work of a seat: none, a sealed verdict, or an opened one. */
export type SeatDeed = 'silent' | 'sealed' | number

export interface ModelSeat {
  readonly key: string
  readonly account: string
  readonly deed: SeatDeed
}

export interface ModelAppeal {
  readonly appellant: string
  readonly bondWei: bigint
  readonly jury: readonly ModelSeat[]
}

export interface ModelCase {
  readonly peerAccount: string
  readonly settledMilli: number
  /** The votes that the committee opened, those of the peer's own account too: settlement left them out, their stakes answer for them. */
  readonly committee: readonly { readonly key: string; readonly account: string; readonly scoreMilli: number }[]
  readonly appeals: readonly ModelAppeal[]
}

export interface ModelRuling {
  /** The score that stands. */
  readonly finalMilli: number
  /** Whether it is 0 since nobody found anything to score. */
  readonly isTaken: boolean
  /** Balances by account. */
  readonly owedWei: ReadonlyMap<string, bigint>
  /** Appellants who were right: half of what the committee loses is theirs, a seat after the other. */
  readonly upheld: readonly string[]
  /** `level seat fault`, level 0 being the committee. */
  readonly blames: readonly string[]
}

const apart = (a: number, b: number) => Math.abs(a - b) > TOLERANCE_MILLI

/** Whether a jury that finds nothing takes the settled score away: a seat of the committee that gave it found nothing either. One of the peer's own account never reads its work. */
export function isTakable({
  settledMilli,
  committee,
  peerAccount,
}: Pick<ModelCase, 'settledMilli' | 'committee' | 'peerAccount'>): boolean {
  const others = committee.filter(({ account }) => account !== peerAccount)
  return apart(settledMilli, 0) && others.some(({ scoreMilli }) => scoreMilli === UNAVAILABLE)
}

const scoresOf = (jury: readonly ModelSeat[]) => jury.flatMap(({ deed }) => (typeof deed === 'number' ? [deed] : []))

/** Whether enough of a jury voted. */
function isHeard(jury: readonly ModelSeat[]): boolean {
  return scoresOf(jury).length >= mostOf(jury)
}

const mostOf = (jury: readonly ModelSeat[]) => Math.max(2, Math.floor(jury.length / 2) + 1)

/**
 * The finding of a jury; null without a quorum, if most votes are `unavailable`, or if it is not what stood and no majority of all seats, those
 * included that said nothing, lies on its side.
 */
function verdictOf(jury: readonly ModelSeat[], standing: number): number | null {
  const votes = scoresOf(jury)
  const scores = votes.filter(vote => vote !== UNAVAILABLE).sort((a, b) => a - b)
  if (!isHeard(jury)) return null
  if (scores.length * 2 < votes.length) return null
  const median = scores[Math.ceil(scores.length / 2) - 1] as number
  if (!apart(median, standing)) return median
  const along = scores.filter(score => apart(score, standing) && score < standing === median < standing)
  return along.length >= mostOf(jury) ? median : null
}

/** The outcome of a case when it is closed and all its seats are judged. */
export function rule(found: ModelCase): ModelRuling {
  const { appeals, settledMilli } = found
  const verdicts: (number | null)[] = []
  // The score that stood when each appeal came, and after the last of them.
  const stood = [settledMilli]
  // Whether what stands is 0 for want of anything to score.
  let isTaken = false
  for (const { jury } of appeals) {
    const before = stood.at(-1) as number
    const isFirst = verdicts.every(verdict => verdict === null)
    const takes: boolean = (isFirst || isTaken) && isTakable(found) && isGone(jury)
    const verdict = takes ? 0 : verdictOf(jury, before)
    if (verdict !== null) isTaken = takes
    verdicts.push(verdict)
    stood.push(verdict !== null && apart(verdict, before) ? verdict : before)
  }
  const finalMilli = stood.at(-1) as number
  const owedWei = new Map<string, bigint>()
  const owe = (account: string, wei: bigint) => {
    if (wei > 0n) owedWei.set(account, (owedWei.get(account) ?? 0n) + wei)
  }
  const lastVerdict = verdicts.findLastIndex(verdict => verdict !== null)
  const judged = appeals.filter((_, at) => at <= lastVerdict)
  const losers = judged.filter((_, at) => !apart(stood[at] as number, finalMilli))
  for (const appeal of appeals) if (!losers.includes(appeal)) owe(appeal.appellant, appeal.bondWei - feeOf(appeal))
  const paid = paidVotes(appeals, lastVerdict < 0 || isTaken ? null : finalMilli, isTaken)
  divide(found, { judged, losers, paid }, owe)
  const upheld = judged.filter(appeal => !losers.includes(appeal)).map(({ appellant }) => appellant)
  const blames = blamesOf(found, stood, { finalMilli, isTaken })
  return { finalMilli, isTaken, owedWei, upheld, blames }
}

/** Pay of an appeal to the seats that it calls, if any came. */
const feeOf = ({ bondWei, jury }: ModelAppeal) => (scoresOf(jury).length === 0 ? 0n : bondWei / 2n)

/** The seats that are paid: those near the verdict, or those that found the bundle gone, or all that came. */
function paidVotes(appeals: readonly ModelAppeal[], finalMilli: number | null, isTaken: boolean): ModelSeat[] {
  const came = appeals.flatMap(({ jury }) => jury).filter(({ deed }) => typeof deed === 'number')
  if (finalMilli !== null) return came.filter(({ deed }) => deed !== UNAVAILABLE && !apart(deed as number, finalMilli))
  return isTaken || isGone(appeals.at(-1)?.jury ?? []) ? came.filter(({ deed }) => deed === UNAVAILABLE) : came
}

/** Whether most of a jury, those included that said nothing, found the bundle gone. */
export function isGone(jury: readonly ModelSeat[]): boolean {
  return scoresOf(jury).filter(vote => vote === UNAVAILABLE).length >= mostOf(jury)
}

/** Fees to the seats; the rest of what was lost to the appellants that were right, or else to the peer, or to the seats too. */
function divide(
  { appeals, peerAccount }: ModelCase,
  { judged, losers, paid }: Record<'judged' | 'losers', readonly ModelAppeal[]> & { paid: readonly ModelSeat[] },
  owe: (account: string, wei: bigint) => void,
): void {
  let feesWei = appeals.reduce((sum, appeal) => sum + feeOf(appeal), 0n)
  let lostWei = losers.reduce((sum, appeal) => sum + appeal.bondWei - feeOf(appeal), 0n)
  const upheld = judged.filter(appeal => !losers.includes(appeal)).map(({ appellant }) => appellant)
  // A peer that appealed its own score in vain pays the seats alone.
  if (lostWei > 0n && upheld.length === 0 && peerAccount !== losers.at(-1)?.appellant) upheld.push(peerAccount)
  if (upheld.length === 0) {
    feesWei += lostWei
    lostWei = 0n
  }
  for (const [at, account] of upheld.entries()) {
    const shareWei = lostWei / BigInt(upheld.length - at)
    owe(account, shareWei)
    lostWei -= shareWei
  }
  const seatWei = paid.length === 0 ? 0n : feesWei / BigInt(paid.length)
  for (const { account } of paid) owe(account, seatWei)
  owe(appeals.at(-1)?.appellant as string, feesWei - seatWei * BigInt(paid.length))
}

/**
 * Seats that did not open what they sealed, but where too few of the jury came and nobody else was heard in its rounds, and votes that lay
 * far from what overturned their committee or jury. Nobody is overturned for want of anything to score.
 */
function blamesOf(
  { appeals, committee, settledMilli }: ModelCase,
  stood: readonly number[],
  { finalMilli, isTaken }: Pick<ModelRuling, 'finalMilli' | 'isTaken'>,
): string[] {
  const blames: string[] = []
  const isOff = (milli: number) => !isTaken && apart(milli, finalMilli)
  if (isOff(settledMilli))
    for (const { key, scoreMilli } of committee)
      if (scoreMilli !== UNAVAILABLE && apart(scoreMilli, finalMilli)) blames.push(`0 ${key} overturned`)
  for (const [at, { jury }] of appeals.entries()) {
    const isOverturned = isOff(stood[at + 1] as number)
    for (const { key, deed } of jury) {
      const isFar = typeof deed === 'number' && deed !== UNAVAILABLE && apart(deed, finalMilli)
      if (deed === 'sealed' && isHeard(jury)) blames.push(`${at + 1} ${key} ${deed}`)
      else if (isFar && isOverturned) blames.push(`${at + 1} ${key} overturned`)
    }
  }
  return blames.sort()
}
