import { phase } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'

/** Peers that lost a round by a false or a withheld leaf, by the end of its settlement. Who lost it before that is never settled. */
export async function readAnnulled(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  round: number,
): Promise<PeerKey[]> {
  const of = { ...challenges, args: { round: BigInt(round) }, strict: true } as const
  const logs = await events.inRounds({ first: round + phase.drawing, last: round + phase.settling }, async range => [
    ...(await rpc.getContractEvents({ ...of, eventName: 'LeafFalse', ...range })),
    ...(await rpc.getContractEvents({ ...of, eventName: 'LeafWithheld', ...range })),
  ])
  return logs.map(({ args }) => args.peerKey)
}
