import type { PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { EVENT_RANGE_BLOCKS } from '../rounds/roundEvents.ts'

/** A registration as the chain told of it; the account may have been another since. */
export type RegisteredPeer = { peerKey: PeerKey; peerId: string; countsFrom: number }

/** All peers that ever registered, in the order of the chain: one call for every {@link EVENT_RANGE_BLOCKS} since the deployment. */
export async function readPeers(
  { rpc, rpcUrl, heads }: FollowedChain,
  { peerRegistry, startBlock }: Contracts,
): Promise<RegisteredPeer[]> {
  const peers: RegisteredPeer[] = []
  const head = (await heads.read()).number
  for (let from = startBlock; from <= head; from += EVENT_RANGE_BLOCKS) {
    const range = { fromBlock: BigInt(from), toBlock: BigInt(Math.min(head, from + EVENT_RANGE_BLOCKS - 1)) }
    const event = { ...peerRegistry, eventName: 'PeerRegistered', strict: true } as const
    const logs = await callChain(rpcUrl, () => rpc.getContractEvents({ ...event, ...range }))
    for (const { args } of logs)
      peers.push({ peerKey: args.peerKey, peerId: args.peerId, countsFrom: Number(args.fromRound) })
  }
  return peers
}
