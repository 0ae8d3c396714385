import { COMMITTEE_SEATS, SHARD_PEERS, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RoundVotes } from '#chain/record/openRounds.ts'
import type { VotedRound } from '#chain/record/readVotedRounds.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { appealVerdict, juryVerdict, type VoteVerdict, voteVerdict } from '../checking/voteVerdict.ts'
import { drawCommittee } from '../draws/drawCommittee.ts'

/** A settlement, vote or ruling that is inconsistent with its inputs. */
export type Finding = { round: number; peerKey: PeerKey; says: string }

type DerivedRound = {
  /** Points of each peer for the round after all rulings so far, in thousandths. */
  scores: Map<PeerKey, number>
  findings: Finding[]
}

type RoundToDerive = VotedRound & { chainId: number }

/** Recomputes every score of a round from ballots and verdicts. */
export function deriveScores(due: RoundToDerive): DerivedRound {
  const { round, votes } = due
  const findings: Finding[] = []
  const find = (peerKey: PeerKey, says: string) => findings.push({ round, peerKey, says })
  for (const { evaluatorKey, shard } of votes.ballots)
    if (!committeeOf(due, shard).includes(evaluatorKey))
      find(evaluatorKey, `voted on shard ${shard} without a seat on its committee`)
  const scores = new Map<PeerKey, number>()
  for (const settlement of votes.settlements) {
    const { peerKey, ...told } = settlement
    const derived = settlementOf(due, settlement)
    const differs = derived.outcome !== told.outcome || derived.scoreMilli !== told.scoreMilli
    if (differs) find(peerKey, `was settled as ${wordsOf(told)}, and its votes come to ${wordsOf(derived)}`)
    scores.set(peerKey, derived.scoreMilli)
  }
  for (const peerKey of new Set(votes.rulings.map(ruling => ruling.peerKey))) {
    const settledMilli = scores.get(peerKey) ?? 0
    const isTakable = settledMilli > TOLERANCE_MILLI && hasFoundNothing(due, peerKey)
    const { scoreMilli, wrongly } = ruledScore(votes, peerKey, settledMilli, isTakable)
    if (wrongly !== null) find(peerKey, wrongly)
    scores.set(peerKey, scoreMilli)
  }
  return { scores, findings }
}

/** Points of all rounds, recomputed. */
export type DerivedPoints = {
  /** Of every peer, in thousandths, including peers that committed and have none. */
  points: Map<PeerKey, number>
  /** Settlements of every round, and the sum of its points in thousandths. */
  rounds: Map<number, { settlements: number; pointsMilli: number }>
  findings: Finding[]
}

export async function derivePoints(voted: AsyncIterable<VotedRound>, chainId: number): Promise<DerivedPoints> {
  const points: DerivedPoints['points'] = new Map()
  const rounds: DerivedPoints['rounds'] = new Map()
  const findings: Finding[] = []
  for await (const { round, votes, ...at } of voted) {
    const derived = deriveScores({ chainId, round, votes, ...at })
    findings.push(...derived.findings)
    // A peer that committed and was never settled must have no points.
    for (const peerKey of votes.ordinals.keys()) points.set(peerKey, points.get(peerKey) ?? 0)
    for (const [peerKey, scoreMilli] of derived.scores) points.set(peerKey, (points.get(peerKey) ?? 0) + scoreMilli)
    const pointsMilli = [...derived.scores.values()].reduce((sum, scoreMilli) => sum + scoreMilli, 0)
    rounds.set(round, { settlements: votes.settlements.length, pointsMilli })
  }
  findings.sort((a, b) => a.round - b.round)
  return { points, rounds, findings }
}

function committeeOf({ chainId, round, votes, seats }: RoundToDerive, shard: number): PeerKey[] {
  return drawCommittee(chainId, round, votes.beacon ?? ZERO_HASH, shard, seats)
}

function settlementOf(due: RoundToDerive, settlement: RoundVotes['settlements'][number]): VoteVerdict {
  const { peerKey } = settlement
  const { votes, seats, accountAt } = due
  if (votes.beacon === null || votes.beaconBefore === null) return { outcome: 'void', scoreMilli: 0, votes: 0 }
  const ordinal = votes.ordinals.get(peerKey) ?? Number.NaN
  const shard = Math.floor(ordinal / SHARD_PEERS)
  const account = accountAt(peerKey, settlement)
  const cast = votes.ballots
    .filter(ballot => ballot.shard === shard && accountAt(ballot.evaluatorKey, settlement) !== account)
    .flatMap(({ scoresMilli }) => scoresMilli[ordinal % SHARD_PEERS] ?? [])
  return voteVerdict(cast, Math.min(COMMITTEE_SEATS, seats.length))
}

/** Whether a seat of another account found nothing to score, by the accounts at the first appeal. */
function hasFoundNothing({ votes, accountAt }: RoundToDerive, peerKey: PeerKey): boolean {
  const { ordinals, ballots, rulings } = votes
  const first = rulings.find(ruling => ruling.kind === 'appealed' && ruling.peerKey === peerKey)
  if (first?.kind !== 'appealed') return false
  const ordinal = ordinals.get(peerKey) ?? Number.NaN
  const shard = Math.floor(ordinal / SHARD_PEERS)
  const account = accountAt(peerKey, first)
  return ballots.some(
    ballot =>
      ballot.shard === shard &&
      ballot.scoresMilli[ordinal % SHARD_PEERS] === UNAVAILABLE &&
      accountAt(ballot.evaluatorKey, first) !== account,
  )
}

/** A peer's settlement after all rulings; `wrongly` says how a ruling is inconsistent. */
function ruledScore({ rulings }: RoundVotes, peerKey: PeerKey, settledMilli: number, isTakable: boolean) {
  const own = rulings.filter(ruling => ruling.peerKey === peerKey)
  let scoreMilli = settledMilli
  let isLost = false
  let wrongly: string | null = null
  for (const ruling of own) {
    if (ruling.kind === 'lost') {
      isLost = true
      scoreMilli = 0
    }
    if (ruling.kind !== 'closed') continue
    let standing = settledMilli
    let isFound = false
    for (const appeal of own) {
      if (appeal.kind !== 'appealed') continue
      const cast = own.flatMap(one => (one.kind === 'verdict' && one.level === appeal.level ? one.scoreMilli : []))
      const found = juryVerdict(cast, appeal.drawn, standing)
      standing = appealVerdict(cast, appeal.drawn, standing, isTakable && !isFound)
      isFound ||= found !== null
    }
    if (ruling.scoreMilli !== standing)
      wrongly = `was given ${ruling.scoreMilli} on appeal, and the verdicts come to ${standing}`
    if (!isLost) scoreMilli = standing
  }
  return { scoreMilli, wrongly }
}

function wordsOf({ outcome, scoreMilli }: Pick<VoteVerdict, 'outcome' | 'scoreMilli'>): string {
  return outcome === 'scored' ? String(scoreMilli) : `'${outcome}'`
}
