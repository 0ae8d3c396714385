import type { ContentId, PeerKey, PolicyHash, Root } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** `ordinal`: the peer's place among those of the round, by first commitment. */
export type RolloutCommitment = {
  peerKey: PeerKey
  ordinal: number
  root: Root
  count: number
  policyHash: PolicyHash
  contentId: ContentId
  block: number
}

/** The rollouts committed in a round, the newest commitment of each peer: it may be amended until the round ends. */
export async function readRolloutCommitments(
  { rpc }: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
): Promise<readonly RolloutCommitment[]> {
  const newest = new Map<PeerKey, RolloutCommitment>()
  await events.inRounds({ first: round, last: round }, async range => {
    const logs = await rpc.getContractEvents({
      ...contracts.rolloutCommitments,
      eventName: 'RolloutsCommitted',
      args: { round: BigInt(round) },
      strict: true,
      ...range,
    })
    // In the order of the chain, so that the last one wins. Earlier ones are not kept: a peer may amend its commitment any number of times.
    for (const { args, blockNumber } of logs) {
      const { round: _, leafCount: count, ...commitment } = args
      newest.set(args.peerKey, { ...commitment, count, block: Number(blockNumber) })
    }
    return []
  })
  // By peer key: the same for every reader.
  return [...newest.values()].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
}
