import { rewardVotesAbi } from '@waggle/deployments/abi'
import type { Hex, PublicClient } from 'viem'
import { SHARD_PEERS, UNAVAILABLE } from '../../deployments/protocol.ts'
import type { RoundAudit } from '../../node/src/roles/audit/auditRound.ts'
import { liars, liesAbout, type PeerLie } from './lies.ts'

/** Every kind of planted lie: those of peers, of an endpoint about settlements, and of an index about points. */
const lieKinds = ['scores', 'favour', 'sampling', 'payload', 'settlement', 'index'] as const
export type LieKind = (typeof lieKinds)[number]

/** A planted lie. `about` is the same as of the finding that names it. */
export type Lie = { kind: LieKind; about: string }
export type Finding = { about: string; says: string }

export const aboutVote = (round: number, evaluatorKey: Hex, peerKey: Hex) => `vote ${round} ${evaluatorKey} ${peerKey}`
export const aboutRollouts = (round: number, peerKey: Hex) => `rollouts ${round} ${peerKey}`
export const aboutSettlement = (round: number, peerKey: Hex) => `settlement ${round} ${peerKey}`
export const aboutIndex = (peerKey: Hex) => `index ${peerKey}`

export type FoundLies = {
  /** By kind: lies that were planted, and those among them that an audit names. */
  kinds: Readonly<Record<LieKind, { planted: number; found: number }>>
  /** Findings about what is true. */
  falseAlarms: string[]
}

/** Holds what an audit says to the lies that were planted. */
export function compareLies(planted: readonly Lie[], findings: readonly Finding[]): FoundLies {
  const found = new Set(findings.map(({ about }) => about))
  const lies = new Set(planted.map(({ about }) => about))
  const counted = lieKinds.map(kind => {
    const ofKind = new Set(planted.filter(lie => lie.kind === kind).map(({ about }) => about))
    const named = [...ofKind].filter(about => found.has(about))
    return [kind, { planted: ofKind.size, found: named.length }] as const
  })
  return {
    kinds: Object.fromEntries(counted) as FoundLies['kinds'],
    falseAlarms: findings.filter(({ about }) => !lies.has(about)).map(({ says }) => says),
  }
}

/** Lies that were found of `of`, if more were planted; a kind of which none was planted counts as one that was missed. */
export function shareFound({ kinds }: FoundLies, of: number): number {
  const counts = Object.values(kinds)
  const planted = counts.reduce((sum, one) => sum + Math.max(1, one.planted), 0)
  const found = counts.reduce((sum, one) => sum + one.found, 0)
  return planted < of ? found : Math.floor((of * found) / planted)
}

/** Everything that audits of rounds say is wrong. */
export function findingsOf(audits: readonly RoundAudit[]): Finding[] {
  return audits.flatMap(({ round, peers, disagreements }) => [
    // Of juries no lie is planted.
    ...disagreements
      .filter(({ level }) => level === 0)
      .map(({ evaluatorKey, name, peerKey, peerName, voteMilli, derivedMilli }) => ({
        about: aboutVote(round, evaluatorKey, peerKey),
        says: `round ${round}: ${name} voted ${voteMilli} on ${peerName}, of ${derivedMilli} by the audit`,
      })),
    ...peers.flatMap(({ peerKey, name, sampling }) =>
      sampling?.result === 'refuted'
        ? { about: aboutRollouts(round, peerKey), says: `round ${round}: ${name}'s rollouts, ${sampling.reason}` }
        : [],
    ),
    ...peers.flatMap(({ name, verdict, standingMilli, derivedMilli }) =>
      verdict === 'differs'
        ? { about: `score ${round} ${name}`, says: `round ${round}: ${name} has ${standingMilli} of ${derivedMilli}` }
        : [],
    ),
  ])
}

type Liar = { slot: string; peerKey: Hex }
type LiedRound = Pick<RoundAudit, 'round'> & { peers: readonly Pick<RoundAudit['peers'][number], 'peerKey'>[] }
/** Votes on a shard's peers, as the chain has them. */
export type Votes = { round: number; evaluatorKey: Hex; shard: number; scoresMilli: readonly number[] }

/** The lies that liars told about these rounds: false votes on honest work, and false work. */
export function liesOfPeers(
  peers: readonly Liar[],
  rounds: readonly LiedRound[],
  votes: readonly Votes[],
  fromRound: number,
): Lie[] {
  const kindOf = new Map<Hex, PeerLie>(
    peers.flatMap(({ slot, peerKey }) => (liars[slot] === undefined ? [] : [[peerKey, liars[slot]]])),
  )
  /** The kind of a peer's lie about a round; null if it does not lie about it. */
  const lieOf = (peerKey: Hex, round: number): PeerLie | null => {
    const kind = kindOf.get(peerKey)
    return kind !== undefined && liesAbout(kind, round, fromRound) ? kind : null
  }
  return rounds.flatMap(({ round, peers: committed }) => [
    ...committed.flatMap(({ peerKey }) => {
      const kind = lieOf(peerKey, round)
      return kind === null ? [] : { kind, about: aboutRollouts(round, peerKey) }
    }),
    ...votes
      .filter(one => one.round === round)
      .flatMap(({ evaluatorKey, shard, scoresMilli }) => {
        const kind = lieOf(evaluatorKey, round)
        if (kind === null) return []
        return scoresMilli.flatMap((score, at) => {
          const peerKey = committed[shard * SHARD_PEERS + at]?.peerKey
          // Work that is a lie itself is worth nothing to liars too.
          const isLie = score !== UNAVAILABLE && peerKey !== undefined && lieOf(peerKey, round) === null
          return isLie ? { kind, about: aboutVote(round, evaluatorKey, peerKey) } : []
        })
      }),
  ])
}

/** All votes that were revealed. */
export async function readVotes(
  client: PublicClient,
  { RewardVotes }: { RewardVotes: { address: Hex; startBlock: number } },
): Promise<Votes[]> {
  const revealed = await client.getContractEvents({
    ...{ address: RewardVotes.address, abi: rewardVotesAbi, eventName: 'VotesRevealed', strict: true },
    fromBlock: BigInt(RewardVotes.startBlock),
  })
  return revealed.map(({ args }) => ({ ...args, round: Number(args.round) }))
}

/** All settlements, in the order of the chain. */
export async function readSettled(
  client: PublicClient,
  { RewardVotes }: { RewardVotes: { address: Hex; startBlock: number } },
): Promise<{ round: number; peerKey: Hex }[]> {
  const settled = await client.getContractEvents({
    ...{ address: RewardVotes.address, abi: rewardVotesAbi, eventName: 'Settled', strict: true },
    fromBlock: BigInt(RewardVotes.startBlock),
  })
  return settled.map(({ args }) => ({ round: Number(args.round), peerKey: args.peerKey }))
}
