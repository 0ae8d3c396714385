import { SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RolloutCommitment } from '#chain/work/readCommitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { createKeyedLimit, type KeyedLimit } from '#core/keyedLimit.ts'
import { readTaskPlaces } from '../draws/admitTasks.ts'
import { stageSource } from '../draws/beaconTasks.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { type Models, openProofs, scoreWithout } from './proofs.ts'
import { scoreRollouts } from './scoreRollouts.ts'

/** A settled score to read again; `seats` found something to score since. */
type ReadAgain = { round: number; peerKey: PeerKey; seats?: readonly PeerKey[] }

/**
 * A peer's score of a round, as a seat of its committee would find it: by the leaves that the beacon drew and the policy that the peer named.
 * What its author does not give is asked of the seats that scored it.
 *
 * @param turns - of those that read scores at the same time: payloads are fetched side by side, and opened and scored one after the other.
 * @returns thousandths, or `UNAVAILABLE` where its work could not be had.
 */
export async function scoreAgain(
  node: PeerNode,
  { judge, reader }: Models,
  { round, peerKey, seats = [] }: ReadAgain,
  signal: AbortSignal,
  turns: KeyedLimit = createKeyedLimit(1),
): Promise<number> {
  const { chain, chainId, environment, fetchPlan } = node
  const [before, beacon] = [await beaconOf(node, round - 1), await beaconOf(node, round)]
  const found = (await chain.readRolloutCommitments(round)).find(one => one.peerKey === peerKey)
  if (before === null || beacon === null || found === undefined) return UNAVAILABLE
  const commitment = { ...found, keepers: [...(await seatsThatScored(node, round, found)), ...seats] }
  const proofs = await openProofs(node, reader, { round, before, beacon }, [commitment])
  const policyCame = proofs.fetch(signal)
  const wanted = { ...commitment, kind: 'rollouts', round } as const
  const [kept] = await fetchPlan.visit([wanted], signal, async () => ({ ok: true, value: null }))
  if (kept?.result.ok !== true) return UNAVAILABLE
  await policyCame
  const [at, places] = [{ chainId, round, beacon: before }, await readTaskPlaces(node, round)]
  return turns.run('', async () => {
    const rules = await roundRules(environment, at, places, stageSource(node, signal))
    const scored = await fetchRolloutsOf(node, round, commitment, signal, ({ body }) =>
      scoreRollouts(judge, body, rules, { chainId, round, peerKey, before, beacon }),
    )
    const counts = scored.ok ? await proofs.prove(commitment, scored.value.leaves, signal) : scored
    return scored.ok && counts.ok ? scored.value.score.scoreMilli : scoreWithout(counts)
  })
}

/** Seats of its committee that gave a peer a score: they had its rollouts and its policy. */
async function seatsThatScored(
  { chain }: Pick<PeerNode, 'chain'>,
  round: number,
  { ordinal }: Pick<RolloutCommitment, 'ordinal'>,
): Promise<PeerKey[]> {
  const votes = await chain.readRevealedVotes(round)
  const had = ({ shard, scoresMilli }: (typeof votes)[number]) =>
    shard === Math.floor(ordinal / SHARD_PEERS) && (scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE) !== UNAVAILABLE
  return votes.filter(had).map(({ evaluatorKey }) => evaluatorKey)
}
