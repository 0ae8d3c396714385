import type { Context } from 'ponder:registry'
import { peer } from 'ponder:schema'

type PeerChange = Partial<Omit<typeof peer.$inferSelect, 'peerKey'>>

/** Changes a peer's row. Only registered peers commit, so that a row missing here means that an event was missed. */
export async function updatePeer(
  context: Context,
  peerKey: `0x${string}`,
  change: (row: typeof peer.$inferSelect) => PeerChange,
): Promise<void> {
  await context.db.update(peer, { peerKey }).set(change)
}
