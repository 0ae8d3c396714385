import { UNAVAILABLE } from '@waggle/deployments/protocol'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { onceForEach } from '#core/onceForEach.ts'
import { createPriorityMutex, type PriorityMutex } from '#core/priorityMutex.ts'
import { stageSource } from '../draws/beaconTasks.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { readTaskPlaces, type TaskPlace } from '../draws/drawTasks.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerFault } from '../fetch/peerResult.ts'
import { seatsThatScored } from '../fetch/seatsThatScored.ts'
import type { PeerNode } from '../peerNode.ts'
import { policyMemory } from './heldPolicies.ts'
import { type Models, openProofs, type ProofTask, scoreWithout } from './proofs.ts'
import { scoreRollouts } from './scoreRollouts.ts'

/** Facts of a round that all its scores share. In a large swarm, reading each of them takes tens of megabytes. */
export type RoundFacts = {
  commitments(round: number): Promise<readonly RolloutCommitment[]>
  votes(round: number): ReturnType<PeerNode['chain']['readRevealedVotes']>
  places(round: number): Promise<readonly TaskPlace[]>
  settlements(round: number): Promise<readonly Settlement[]>
}

/** Reads each once, however many scores are read again. A failed read affects only the score that started it. */
function createRoundFacts(node: PeerNode): RoundFacts {
  const { chain } = node
  return {
    commitments: onceForEach(chain.readRolloutCommitments),
    votes: onceForEach(chain.readRevealedVotes),
    places: onceForEach(round => readTaskPlaces(node, round)),
    settlements: onceForEach(chain.readSettlements),
  }
}

/**
 * Shared state of scores that are read at the same time: payloads are fetched in parallel, and opened and scored one after another. Of those that
 * have arrived, the lowest place comes first.
 */
export type ReadTogether = { mutex: PriorityMutex; facts: RoundFacts; task: ProofTask }

/** @param turn - a name of these scores: they load each base once at most. */
export const readTogether = (node: PeerNode, turn?: string): ReadTogether => ({
  mutex: createPriorityMutex(),
  facts: createRoundFacts(node),
  task: { memory: policyMemory(), turn },
})

/** The base of a policy that this node cannot check, by the hash of its weights. */
export type LacksBase = { lacksBase: Hex }

/** A settled score to read again; `seats` had its bundle, and `place` is its place among those that are read together. */
type ReadAgain = { round: number; peerKey: PeerKey; seats?: readonly PeerKey[]; place?: string }

/**
 * A peer's score of a round, computed as a seat of its committee would: from the leaves that the beacon drew and the policy that the peer
 * named. Payloads that the author does not serve are requested from the seats that scored it.
 *
 * @returns thousandths, `UNAVAILABLE` if its work is unavailable, or null if this node ran out of time before it knew, failed, lacks answers that
 *   the prompts quote, or its endpoint lags behind. It must not call the work missing then, nor without the base of its policy: a jury takes the
 *   score of missing work.
 */
export async function scoreAgain(
  node: PeerNode,
  { judge, ...checking }: Models,
  { round, peerKey, seats = [], place = '' }: ReadAgain,
  signal: AbortSignal,
  { mutex, facts, task }: ReadTogether = readTogether(node),
): Promise<number | LacksBase | null> {
  const { chainId, environment, fetchPlan } = node
  const [before, beacon] = [await beaconOf(node, round - 1), await beaconOf(node, round)]
  const found = (await facts.commitments(round)).find(one => one.peerKey === peerKey)
  // An endpoint without them lags behind: every settled score has all three.
  if (before === null || beacon === null || found === undefined) return null
  const commitment = { ...found, keepers: [...seatsThatScored(await facts.votes(round), found), ...seats] }
  const proofs = await openProofs(node, checking, { round, before, beacon }, [commitment], task)
  const policyCame = proofs.fetch(signal)
  const wanted = { ...commitment, kind: 'rollouts', round } as const
  const [kept] = await fetchPlan.visit([wanted], signal, async () => ({ ok: true, value: null }))
  if (kept?.result.ok !== true) return kept === undefined || isOwn(kept.result) ? null : UNAVAILABLE
  await policyCame
  return mutex.run(place, async () => {
    if (signal.aborted) return null
    const [at, places] = [{ chainId, round, beacon: before }, await facts.places(round)]
    const rules = await roundRules(environment, at, places, stageSource(node, signal, facts.votes))
    const scored = await fetchRolloutsOf(node, round, commitment, signal, ({ payload }) =>
      scoreRollouts(judge, payload, rules, { chainId, round, peerKey, before, beacon }),
    )
    const counts = scored.ok ? await proofs.prove(commitment, scored.value.leaves, signal) : scored
    if (scored.ok && counts.ok) return scored.value.score.scoreMilli
    if (!counts.ok && counts.fault === 'no base') return counts.base === undefined ? null : { lacksBase: counts.base }
    return !counts.ok && isOwn(counts) ? null : scoreWithout(counts)
  })
}

/** Whether a fault is this node's: it ran out of time, failed, or lacks answers that prompts quote. It knows nothing of the work then. */
function isOwn({ fault }: PeerFault): boolean {
  return fault === 'no time' || fault === 'failed'
}
