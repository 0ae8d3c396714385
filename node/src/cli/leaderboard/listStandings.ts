import { readPeers } from '#chain/peers/readPeers.ts'
import { readPoints } from '#chain/peers/readPoints.ts'
import type { PeerKey } from '#core/hashes.ts'
import { peerName } from '#core/peers/peerName.ts'
import type { ReadSession } from '#roles/readSession.ts'

type ListedPeer = { rank: number; peerKey: PeerKey; peerId: string; name: string; pointsMilli: number }

/** Reads at a time: an endpoint may refuse more. */
const AT_ONCE = 32

/**
 * Every registered peer by all its points (thousandths; those of rounds that are not final too), best first, as of one block.
 *
 * Of equal ones the first that registered goes first, as on the dashboard.
 *
 * @param limit - peers told of at most.
 */
export async function listStandings({ client, contracts }: Omit<ReadSession, 'account'>, limit: number) {
  const { number: block } = await client.heads.read()
  const registered = await readPeers(client, contracts)
  const peers: Omit<ListedPeer, 'rank'>[] = []
  for (let at = 0; at < registered.length; at += AT_ONCE)
    peers.push(
      ...(await Promise.all(
        registered.slice(at, at + AT_ONCE).map(async ({ peerKey, peerId }) => {
          const pointsMilli = await readPoints(client, contracts, peerKey, BigInt(block))
          return { peerKey, peerId, name: peerName(peerId), pointsMilli }
        }),
      )),
    )
  const standings = peers
    .sort((a, b) => b.pointsMilli - a.pointsMilli)
    .slice(0, limit)
    .map((peer, index): ListedPeer => ({ rank: index + 1, ...peer }))
  return { block, standings }
}
