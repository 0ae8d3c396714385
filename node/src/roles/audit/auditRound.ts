import { NodeError } from '#base/errors.ts'
import type { ChainReads } from '#chain/reads.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { type OpenedPayload, type PeerScore, payloadsHere, type RolloutBundle } from '#core/payloads/payloads.ts'
import type { Environment } from '#environments/environment.ts'
import { type Models, openProofs } from '../checking/proofs.ts'
import { scoreRollouts } from '../checking/scoreRollouts.ts'
import type { StageSource } from '../draws/beaconTasks.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { admitTasks } from '../draws/drawTasks.ts'
import { asFault, openCommitted } from '../fetch/fetchCommitted.ts'
import type { FetchPlan } from '../fetch/fetchPlan.ts'
import { isProven, type PeerFault, type PeerResult } from '../fetch/peerResult.ts'
import { type Disagreement, findDisagreements } from './disagreements.ts'
import { createLackingSeats, type LackingSeats, lackedBases } from './lackingSeats.ts'
import type { PeerPayloads } from './peerPayloads.ts'
import { type AuditedSampling, type PeerVerdict, peerVerdict } from './peerVerdict.ts'
import { type StandingScore, standingScore } from './standingScore.ts'

/** Data that an audit needs is missing. */
class AuditImpossibleError extends NodeError {
  override readonly code: string = 'AUDIT_IMPOSSIBLE'
}

/** Nothing of a round is scored: it has no beacon. */
export class RoundVoidError extends AuditImpossibleError {
  override readonly code = 'ROUND_VOID'
}

type AuditedPeer = {
  peerKey: PeerKey
  name: string
  /** As its committee settled it; null while it is not settled. */
  settledMilli: number | null
  /** After challenges and appeals; null while nothing is decided. */
  standingMilli: number | null
  /** Source of the score that stands; null while nothing is decided. A `challenge` showed a leaf to be false or withheld. */
  decidedBy: StandingScore['decidedBy'] | null
  /** Recomputed by the judge and the check of sampling, 0 for rollouts that are not what the peer committed; null if they are unavailable. */
  derivedMilli: number | null
  /** Null if the rollouts are unavailable. */
  sampling: AuditedSampling | null
  /** Whether the score that stands equals the derived one. */
  verdict: PeerVerdict
  /** Why the verdict is `unchecked`; null for other verdicts. */
  reason: string | null
  /** Seats that could not check its work, as their score sheets say; null for none. */
  lackingSeats: LackingSeats | null
}

export type RoundAudit = {
  round: number
  tasks: number
  peers: AuditedPeer[]
  disagreements: Disagreement[]
  /** Bases that this machine does not hold, with the names of the peers whose sampling it therefore cannot check. */
  lackingBases: { base: Hex; peers: string[] }[]
}

/** `leaves`: scored here, none without rollouts. `unread`: why there are no rollouts; null if there are. */
type ScoredCommitment = Pick<AuditedPeer, 'derivedMilli' | 'sampling'> & {
  leaves: PeerScore['leaves']
  unread: string | null
}

/** The audit's chain reader, payload source and models. */
type AuditModules = {
  reads: ChainReads
  chainId: number
  /** Rules that are known here. */
  environments: readonly Environment[]
  payloads: Pick<PeerPayloads, 'fetch'>
  modelsOf: (environment: Environment) => Promise<Models>
  nameOf: (peerKey: PeerKey) => Promise<string>
  signal: AbortSignal
}

/**
 * Recomputes every score of a round, or that of one peer.
 *
 * @throws {AuditImpossibleError} if the round is void, or its environment is unknown here.
 */
export async function auditRound(modules: AuditModules, round: number, only: PeerKey | null): Promise<RoundAudit> {
  const { reads, payloads, nameOf, signal } = modules
  const { environment, tasks, openScores } = await openRound({ ...modules, round })
  const settled = new Map((await reads.readSettlements(round)).map(one => [one.peerKey, one]))
  const rulings = Map.groupBy(await reads.readRulings(round), ({ peerKey }) => peerKey)
  const votes = await reads.readRevealedVotes(round)
  const all = await reads.readRolloutCommitments(round)
  const commitments = all.filter(({ peerKey }) => only === null || peerKey === only)
  const score = await openScores(await modules.modelsOf(environment), commitments)
  const lackingSeats = createLackingSeats({ chainId: modules.chainId, round, payloads, signal }, votes)
  const peers: AuditedPeer[] = []
  const disagreements: Disagreement[] = []
  for (const commitment of commitments) {
    const { peerKey, ordinal } = commitment
    const { derivedMilli, sampling, leaves, unread } = await score(commitment)
    const found = settled.get(peerKey) ?? null
    const ruled = rulings.get(peerKey) ?? []
    const standing = standingScore(found, ruled)
    const name = await nameOf(peerKey)
    peers.push({
      ...{ peerKey, name, derivedMilli, sampling },
      settledMilli: found?.scoreMilli ?? null,
      standingMilli: standing?.scoreMilli ?? null,
      decidedBy: standing?.decidedBy ?? null,
      ...peerVerdict({ standing, derivedMilli, sampling, unread }),
      lackingSeats: await lackingSeats(commitment),
    })
    if (derivedMilli === null) continue
    const scored = { peerKey, name, ordinal, derivedMilli, sampling, leaves }
    disagreements.push(...(await findDisagreements({ ...modules, round }, scored, { votes, rulings: ruled })))
  }
  return { round, tasks, peers, disagreements, lackingBases: lackedBases(peers) }
}

/** The round: its rules and tasks as the chain has them, and the score of a commitment by them. */
async function openRound({ reads, chainId, round, environments, payloads, signal }: AuditModules & { round: number }) {
  const hash = await reads.readEnvironment(round)
  const environment = environments.find(one => one.hash === hash)
  if (environment === undefined)
    throw new AuditImpossibleError(`Round ${round} has the environment ${hash}, which is unknown here.`, {
      hint: 'Give the specification and its models with --environment, --model and --judge.',
    })
  const before = round === 0 ? ZERO_HASH : (await reads.readBeacon(round - 1)).hash
  const beacon = (await reads.readBeacon(round)).hash
  if (before === null || beacon === null)
    throw new RoundVoidError(`Round ${round} has no beacon.`, {
      hint: 'It is void or not over yet, so it has no scores.',
    })
  const proposed = await admitTasks(await reads.readProposals(round), environment)
  const source: StageSource = {
    reads,
    async fetch(earlier, commitment) {
      const opened = await rolloutsOf(payloads, { chainId, round: earlier }, commitment, signal)
      return opened.ok ? opened.value.payload : null
    },
  }
  const rules = await roundRules(environment, { chainId, round, beacon: before }, proposed, source)
  const { solverFolder, spec } = environment
  const tasks = rules.places.filter(place => place !== null).length
  const beacons = { round, before, beacon }

  async function openScores({ judge, reader, bases }: Models, commitments: readonly RolloutCommitment[]) {
    const environment = { solverFolder, spec }
    // Each policy is fetched when its peer is checked.
    const fetchPlan: FetchPlan = { fetch: payloads.fetch, visit: async () => [], visitEach: () => [] }
    const here = {
      chain: reads,
      chainId,
      environment,
      fetchPlan,
      bundles: { has: () => true },
      logger: silentLogger,
      signal,
    }
    // Peers are checked one after another, so that none may wait for the check of a later one.
    const checking = { reader, bases: bases && { ...bases, fitTogether: true } }
    const proofs = await openProofs(here, checking, beacons, commitments)
    return async (commitment: RolloutCommitment): Promise<ScoredCommitment> => {
      const { peerKey } = commitment
      const opened = await rolloutsOf(payloads, { chainId, round }, commitment, signal)
      if (!opened.ok) return withoutRollouts(opened)
      const work = { chainId, peerKey, ...beacons }
      const { score, leaves } = await scoreRollouts(judge, opened.value.payload, rules, work)
      const proven = await proofs.prove(commitment, leaves, signal)
      const result = proven.ok ? 'proven' : isProven(proven) ? 'refuted' : 'unchecked'
      const reason = proven.ok ? null : `${proven.fault}: ${proven.reason}`
      const leeway = proven.ok ? proven.value : null
      const lacksBase = proven.ok ? null : (proven.base ?? null)
      const indices = leaves?.map(({ index }) => index) ?? []
      const sampling: AuditedSampling = { result, leaves: indices, reason, leeway, lacksBase }
      if (leaves === null && result === 'unchecked') return { derivedMilli: null, sampling, leaves: [], unread: null }
      const derivedMilli = result === 'refuted' ? 0 : score.scoreMilli
      return { derivedMilli, sampling, leaves: score.leaves, unread: null }
    }
  }
  return { environment, tasks, openScores }
}

/** The score of a peer whose rollouts do not count: 0 if its own commitment proves them wrong, else unknown. */
function withoutRollouts(result: PeerFault): ScoredCommitment {
  const reason = `${result.fault}: ${result.reason}`
  if (!isProven(result)) return { derivedMilli: null, sampling: null, leaves: [], unread: reason }
  return {
    derivedMilli: 0,
    sampling: { result: 'refuted', leaves: [], reason, leeway: null, lacksBase: null },
    leaves: [],
    unread: null,
  }
}

/** The rollouts that a peer committed, or what is wrong with them. */
async function rolloutsOf(
  payloads: AuditModules['payloads'],
  at: { chainId: number; round: number },
  commitment: RolloutCommitment,
  signal: AbortSignal,
): Promise<PeerResult<OpenedPayload<RolloutBundle>>> {
  const { peerKey, contentId } = commitment
  const bytes = await payloads.fetch({ kind: 'rollouts', round: at.round, contentId, peerKey }, signal)
  if (!bytes.ok) return bytes
  const opened = await openCommitted(payloadsHere, bytes.value, at, commitment)
  return typeof opened === 'string' ? asFault(opened) : { ok: true, value: opened }
}
