import type { Context } from 'ponder:registry'
import { rolloutCommitment, settlement } from 'ponder:schema'

/** Counts a demand or an appeal against a peer's round that is opened (1) or closed (-1), before it is settled or after. */
export async function countChallenge(
  context: Context,
  { round, peerKey }: { round: number; peerKey: `0x${string}` },
  change: 1 | -1,
): Promise<void> {
  const { openChallenges } = await context.db
    .update(rolloutCommitment, { round, peerKey })
    .set(row => ({ openChallenges: row.openChallenges + change }))
  if ((await context.db.find(settlement, { round, peerKey })) !== null)
    await context.db.update(settlement, { round, peerKey }).set({ openChallenges })
}

/** Number of challenges that are open against a peer's round. */
export async function readOpenChallenges(context: Context, key: { round: number; peerKey: `0x${string}` }) {
  return (await context.db.find(rolloutCommitment, key))?.openChallenges ?? 0
}
