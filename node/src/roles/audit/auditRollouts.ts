import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { createChainReads } from '#chain/reads.ts'
import { UNAVAILABLE } from '#core/bodies.ts'
import { bodiesHere } from '#core/bodyOperations.ts'
import { NodeError } from '#core/errors.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { peerName } from '#core/peerName.ts'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import type { Environment } from '#environments/environment.ts'
import type { ChatFolders } from '#environments/environmentKind.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { Device } from '#model/devices.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'
import { admitTasks } from '../admitTasks.ts'
import { roundRules } from '../checkRollouts.ts'
import { SHARD_PEERS } from '../drawCommittee.ts'
import { type Models, openProofs } from '../evaluator/proofs.ts'
import { scoreRollouts } from '../evaluator/scoreRollouts.ts'
import type { FetchPlan } from '../fetch/fetchPlan.ts'
import { openCommitted } from '../fetch/openCommitted.ts'
import { isProven, peerFault } from '../fetch/peerResult.ts'
import { openJudge } from '../openModels.ts'
import type { AuditQuestion } from './auditPoints.ts'
import { TOLERANCE_MILLI } from './voteVerdict.ts'

/** What an audit needs is not there. */
export class AuditImpossibleError extends NodeError {
  override readonly code = 'AUDIT_IMPOSSIBLE'
}

export type RolloutQuestion = Omit<AuditQuestion, 'indexUrl'> & {
  round: number
  /** A peer's folder, which keeps the round's bodies. */
  data: string
  environments: readonly Environment[]
  threads: number
  device: Device
}

export type AuditedPeer = {
  peerKey: Hex
  name: string
  /** Null while it is not settled. */
  settledMilli: number | null
  /** By the judge and the check of sampling, here; null where the folder does not keep its rollouts. */
  derivedMilli: number | null
  /** Null where there are no rollouts. */
  sampling: AuditedSampling | null
}

/** The leaves whose sampling decides whether a score counts. `unchecked`: it is what it would be if they were proven. */
export type AuditedSampling = { result: 'proven' | 'refuted' | 'unchecked'; leaves: number[]; reason: string | null }

export type RoundAudit = Awaited<ReturnType<typeof auditRollouts>>

/** An evaluator whose vote is further from the score than agreement allows. */
export type Disagreement = { evaluatorKey: Hex; name: string; peerKey: Hex; voteMilli: number; derivedMilli: number }

/**
 * Every score of a round again, from the rollouts themselves: committed leaves, drawn by the beacon, scored by the frozen judge.
 *
 * @throws {AuditImpossibleError} if the round is void, or its rules are not known here.
 */
export async function auditRollouts(question: RolloutQuestion) {
  const { round, threads, device } = question
  const { reads, environment, ...opened } = await openRound(question)
  const { close, ...models } = await openJudge(environment, { threads, device, crashed: () => {}, slow: () => {} })
  try {
    const settled = new Map((await reads.readSettlements(round)).map(one => [one.peerKey, one.scoreMilli]))
    const votes = await reads.readRevealedVotes(round)
    const nameOf = async (key: Hex) => peerName((await reads.readPeerId(key)) ?? key)
    const peers: AuditedPeer[] = []
    const disagreements: Disagreement[] = []
    const commitments = await reads.readRolloutCommitments(round)
    const score = await opened.openScores(models, commitments)
    for (const commitment of commitments) {
      const { peerKey, ordinal } = commitment
      const { derivedMilli, sampling } = await score(commitment)
      const settledMilli = settled.get(peerKey) ?? null
      peers.push({ peerKey, name: await nameOf(peerKey), settledMilli, derivedMilli, sampling })
      if (derivedMilli === null) continue
      for (const { evaluatorKey, shard, scoresMilli } of votes) {
        if (shard !== Math.floor(ordinal / SHARD_PEERS)) continue
        const voteMilli = scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE
        if (voteMilli === UNAVAILABLE || Math.abs(voteMilli - derivedMilli) <= TOLERANCE_MILLI) continue
        // Its evaluator may have seen what is not kept here.
        if (sampling?.result === 'unchecked' && voteMilli === 0) continue
        disagreements.push({ evaluatorKey, name: await nameOf(evaluatorKey), peerKey, voteMilli, derivedMilli })
      }
    }
    return { round, tasks: opened.tasks, peers, disagreements }
  } finally {
    await close()
  }
}

/** The round: its rules and tasks as the chain has them, and the score of a commitment by them. */
async function openRound({ deployment, rpcUrl, round, data, environments }: RolloutQuestion) {
  const { chainId } = deployment
  const reads = createChainReads(await connectChain({ rpcUrl, deployment }), contractsOf(deployment))
  const hash = await reads.readEnvironment(round)
  const environment = environments.find(one => one.hash === hash)
  if (environment === undefined)
    throw new AuditImpossibleError(`Round ${round} is played by the rules ${hash}, which are not known here.`, {
      hint: 'Give the specification and its models with --environment, --model and --judge.',
    })
  const before = round === 0 ? ZERO_HASH : (await reads.readBeacon(round - 1)).hash
  const beacon = (await reads.readBeacon(round)).hash
  if (before === null || beacon === null)
    throw new AuditImpossibleError(`Round ${round} has no beacon.`, {
      hint: 'It is void, or not over yet: nothing of it is scored.',
    })
  const proposed = await admitTasks(await reads.readProposals(round), environment)
  const rules = await roundRules(environment, { chainId, round, beacon: before }, proposed)
  const { solverFolder, spec } = environment
  const tasks = rules.places.filter(place => place !== null).length
  const beacons = { round, before, beacon }

  async function openScores({ judge, reader }: Models, commitments: readonly RolloutCommitment[]) {
    const here = {
      chain: reads,
      chainId,
      environment: { solverFolder, spec },
      fetchPlan: keptIn(data),
      logger: silentLogger,
      signal: never,
    }
    const proofs = await openProofs(here, reader, beacons, commitments)
    return async (commitment: RolloutCommitment): Promise<Pick<AuditedPeer, 'derivedMilli' | 'sampling'>> => {
      const bytes = await readKeptBundle(data, round, commitment.contentId)
      const opened = bytes && (await openCommitted(bodiesHere, bytes, { chainId, round }, commitment))
      if (opened === null || typeof opened === 'string') return { derivedMilli: null, sampling: null }
      const work = { chainId, peerKey: commitment.peerKey, ...beacons }
      const { score, leaves } = await scoreRollouts(judge, opened.body, rules, work)
      const proven = await proofs.prove(commitment, leaves, never)
      const result = proven.ok ? 'proven' : isProven(proven) ? 'refuted' : 'unchecked'
      const reason = proven.ok ? null : `${proven.fault}: ${proven.reason}`
      const sampling = { result, leaves: leaves.map(({ index }) => index), reason } as const
      return { derivedMilli: result === 'refuted' ? 0 : score.scoreMilli, sampling }
    }
  }
  return { reads, environment, tasks, openScores }
}

/** Nothing is given up on: all is on the disk. */
const never = new AbortController().signal

/** The way to bodies that a peer's folder keeps. */
function keptIn(data: string): FetchPlan {
  return {
    async fetch({ contentId, round }) {
      const bytes = await readKeptBundle(data, round, contentId)
      return bytes === null ? peerFault('unavailable', 'the folder does not keep it') : { ok: true, value: bytes }
    },
    visit: async () => [],
    visitEach: () => [],
  }
}

/** The rules that can be audited here: those of some chat models, or else of the starter models. */
export async function openEnvironments(chat: (ChatFolders & { spec: EnvironmentSpec }) | undefined) {
  return chat === undefined ? Object.values(await loadEnvironments()) : [await loadEnvironment(chat.spec, chat)]
}
