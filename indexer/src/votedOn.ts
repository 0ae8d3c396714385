import type { Context } from 'ponder:registry'
import { peer, rolloutCommitment, SHARD_PEERS, voteCommit } from 'ponder:schema'
import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { and, eq } from 'ponder'

/**
 * The lower median of a committee's scores of a peer times their share of its votes, in thousandths; 0 where fewer than two are scores. An
 * `unavailable` of the peer's own account does not count.
 */
export async function votedOn(context: Context, key: { round: number; peerKey: `0x${string}` }): Promise<number> {
  const committed = await context.db.find(rolloutCommitment, key)
  if (committed === null) return 0
  const shard = Math.floor(committed.ordinal / SHARD_PEERS)
  const ballots = await context.db.sql
    .select({ scoresMilli: voteCommit.scoresMilli, account: peer.account })
    .from(voteCommit)
    .innerJoin(peer, eq(peer.peerKey, voteCommit.evaluatorKey))
    .where(and(eq(voteCommit.round, key.round), eq(voteCommit.shard, shard)))
  const own = await context.db.find(peer, { peerKey: key.peerKey })
  const votes = ballots.flatMap(({ scoresMilli, account }) => {
    const vote = scoresMilli?.[committed.ordinal % SHARD_PEERS] ?? []
    return vote === UNAVAILABLE && account === own?.account ? [] : vote
  })
  const scores = votes.filter(vote => vote !== UNAVAILABLE).sort((a, b) => a - b)
  if (scores.length < 2) return 0
  const median = scores[Math.floor((scores.length - 1) / 2)] ?? 0
  return Math.floor((median * scores.length) / votes.length)
}
