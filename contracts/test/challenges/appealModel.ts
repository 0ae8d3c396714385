import { UNAVAILABLE } from '../settlementModel.ts'

/**
 * Appeals written the plain way, in exact integers, from nothing but what everybody did: what `Challenges` is held to.
 *
 * It knows no histograms, words or credits by pull: votes are lists, money is a map.
 */
const TOLERANCE_MILLI = 25

/** What a seat did: nothing, sealed a verdict and no more, or opened one. */
export type SeatDeed = 'silent' | 'sealed' | number

export interface ModelSeat {
  readonly key: string
  readonly account: string
  readonly deed: SeatDeed
}

export interface ModelAppeal {
  readonly appellant: string
  readonly bondWei: bigint
  readonly bench: readonly ModelSeat[]
}

export interface ModelCase {
  readonly peerAccount: string
  readonly settledMilli: number
  /** The votes that the committee opened, without those of the peer's own account. */
  readonly committee: readonly { readonly key: string; readonly scoreMilli: number }[]
  readonly appeals: readonly ModelAppeal[]
  /** Whether the peer lost the round for another reason. */
  readonly isMoot: boolean
}

export interface ModelRuling {
  /** The score that stands. */
  readonly finalMilli: number
  /** Who is owed what. */
  readonly owedWei: ReadonlyMap<string, bigint>
  /** `level seat fault`, level 0 being the committee. */
  readonly blames: readonly string[]
}

const apart = (a: number, b: number) => Math.abs(a - b) > TOLERANCE_MILLI
const scoresOf = (bench: readonly ModelSeat[]) => bench.flatMap(({ deed }) => (typeof deed === 'number' ? [deed] : []))

/** Whether enough of a bench voted. */
function isHeard(bench: readonly ModelSeat[]): boolean {
  return scoresOf(bench).length >= Math.max(2, Math.floor(bench.length / 2) + 1)
}

/** What a bench found: null without a quorum, or where fewer have a score than have none. */
function verdictOf(bench: readonly ModelSeat[]): number | null {
  const votes = scoresOf(bench)
  const scores = votes.filter(vote => vote !== UNAVAILABLE).sort((a, b) => a - b)
  if (!isHeard(bench)) return null
  if (scores.length * 2 < votes.length) return null
  return scores[Math.ceil(scores.length / 2) - 1] as number
}

/** What a case comes to when it is closed and all its seats are judged. */
export function rule(found: ModelCase): ModelRuling {
  const { appeals, settledMilli, isMoot } = found
  const verdicts = appeals.map(({ bench }) => verdictOf(bench))
  // The score that stood when each appeal came, and after the last of them.
  const stood = [settledMilli]
  for (const verdict of verdicts) {
    const before = stood.at(-1) as number
    stood.push(verdict !== null && apart(verdict, before) ? verdict : before)
  }
  const finalMilli = stood.at(-1) as number
  const owedWei = new Map<string, bigint>()
  const owe = (account: string, wei: bigint) => {
    if (wei > 0n) owedWei.set(account, (owedWei.get(account) ?? 0n) + wei)
  }
  const lastVerdict = verdicts.findLastIndex(verdict => verdict !== null)
  const judged = isMoot ? [] : appeals.filter((_, at) => at <= lastVerdict)
  const losers = judged.filter((_, at) => !apart(stood[at] as number, finalMilli))
  for (const appeal of appeals) if (!losers.includes(appeal)) owe(appeal.appellant, appeal.bondWei)
  payLost(found, judged, losers, finalMilli, owe)
  return { finalMilli, owedWei, blames: isMoot ? [] : blamesOf(found, stood, finalMilli) }
}

/** Half of what was lost to the seats that were right, half to the appellants that were, or else to the peer. */
function payLost(
  { appeals, peerAccount }: ModelCase,
  judged: readonly ModelAppeal[],
  losers: readonly ModelAppeal[],
  finalMilli: number,
  owe: (account: string, wei: bigint) => void,
): void {
  const lostWei = losers.reduce((sum, { bondWei }) => sum + bondWei, 0n)
  const lastLoser = losers.at(-1)
  if (lastLoser === undefined) return
  const upheld = judged.filter(appeal => !losers.includes(appeal)).map(({ appellant }) => appellant)
  // A peer that appealed its own score in vain pays the seats alone.
  if (upheld.length === 0 && peerAccount !== lastLoser.appellant) upheld.push(peerAccount)
  const right = appeals
    .flatMap(({ bench }) => bench)
    .filter(({ deed }) => typeof deed === 'number' && deed !== UNAVAILABLE && !apart(deed, finalMilli))
  const forSeatsWei = upheld.length === 0 ? lostWei : lostWei / 2n
  const seatWei = right.length === 0 ? 0n : forSeatsWei / BigInt(right.length)
  for (const { account } of right) owe(account, seatWei)
  let leftWei = lostWei - seatWei * BigInt(right.length)
  for (const [at, account] of upheld.entries()) {
    const shareWei = leftWei / BigInt(upheld.length - at)
    owe(account, shareWei)
    leftWei -= shareWei
  }
  owe(lastLoser.appellant, leftWei)
}

/** Seats that stayed away, but where too few of the bench came and nobody else was heard in its rounds, and votes that lay far from what overturned their committee. */
function blamesOf(
  { appeals, committee, settledMilli, peerAccount }: ModelCase,
  stood: readonly number[],
  finalMilli: number,
): string[] {
  const blames: string[] = []
  if (apart(settledMilli, finalMilli))
    for (const { key, scoreMilli } of committee)
      if (scoreMilli !== UNAVAILABLE && apart(scoreMilli, finalMilli)) blames.push(`0 ${key} overturned`)
  const parties = [peerAccount, ...appeals.map(({ appellant }) => appellant)]
  for (const [at, { bench }] of appeals.entries()) {
    const isOverturned = apart(stood[at + 1] as number, finalMilli)
    for (const { key, account, deed } of bench) {
      const isFar = typeof deed === 'number' && deed !== UNAVAILABLE && apart(deed, finalMilli)
      const isAbsent = deed === 'sealed' || (deed === 'silent' && !parties.includes(account))
      if (isAbsent && isHeard(bench)) blames.push(`${at + 1} ${key} ${deed}`)
      else if (isFar && isOverturned) blames.push(`${at + 1} ${key} overturned`)
    }
  }
  return blames.sort()
}
