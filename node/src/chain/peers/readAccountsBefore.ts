import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/**
 * Accounts of peers as of the end of a block, of those that have moved since.
 *
 * @param rounds - the round of that block, and the current one.
 */
export async function readAccountsBefore(
  { rpc }: Pick<ChainClient, 'rpc'>,
  { peerRegistry }: Pick<Contracts, 'peerRegistry'>,
  events: EventReader,
  peerKeys: readonly PeerKey[],
  { block, rounds }: { block: number; rounds: { first: number; last: number } },
): Promise<Map<PeerKey, AccountAddress>> {
  const moves = await events.inRounds(rounds, range =>
    rpc.getContractEvents({
      ...peerRegistry,
      eventName: 'PeerMoved',
      args: { peerKey: [...peerKeys] },
      strict: true,
      ...range,
    }),
  )
  const later = moves.filter(({ blockNumber }) => Number(blockNumber) > block)
  // The first move since then says where each was.
  return new Map(later.reverse().map(({ args }) => [args.peerKey, args.from]))
}
