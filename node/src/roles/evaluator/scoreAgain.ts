import { UNAVAILABLE } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import { readTaskPlaces } from '../draws/admitTasks.ts'
import { stageSource } from '../draws/beaconTasks.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { type Models, openProofs, scoreWithout } from './proofs.ts'
import { scoreRollouts } from './scoreRollouts.ts'

/**
 * A peer's score of a round, as a seat of its committee would find it: by the leaves that the beacon drew and the policy that the peer named.
 *
 * @returns thousandths, or `UNAVAILABLE` where its work could not be had.
 */
export async function scoreAgain(
  node: PeerNode,
  { judge, reader }: Models,
  { round, peerKey }: { round: number; peerKey: PeerKey },
  signal: AbortSignal,
): Promise<number> {
  const { chain, chainId, environment } = node
  const [before, beacon] = [await beaconOf(node, round - 1), await beaconOf(node, round)]
  const commitment = (await chain.readRolloutCommitments(round)).find(one => one.peerKey === peerKey)
  if (before === null || beacon === null || commitment === undefined) return UNAVAILABLE
  const [at, places] = [{ chainId, round, beacon: before }, await readTaskPlaces(node, round)]
  const rules = await roundRules(environment, at, places, stageSource(node, signal))
  const scored = await fetchRolloutsOf(node, round, commitment, signal, ({ body }) =>
    scoreRollouts(judge, body, rules, { chainId, round, peerKey, before, beacon }),
  )
  const proofs = await openProofs(node, reader, { round, before, beacon }, [commitment])
  const counts = scored.ok ? await proofs.prove(commitment, scored.value.leaves, signal) : scored
  return scored.ok && counts.ok ? scored.value.score.scoreMilli : scoreWithout(counts)
}
