import { zeroAddress } from 'viem'
import type { Hex } from '#core/hex.ts'
import { callChain } from './callChain.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import { revertedWith } from './revertedWith.ts'

/** The account that speaks for a peer; null if the peer is not registered. */
export async function readAccountOf(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKey: Hex,
): Promise<Hex | null> {
  const account = await callChain(rpcUrl, () =>
    rpc.readContract({ ...peerRegistry, functionName: 'accountOf', args: [peerKey] }),
  )
  return account === zeroAddress ? null : account
}

/** The base58 id behind a peer key; null if the peer is not registered. */
export function readPeerId(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKey: Hex,
): Promise<string | null> {
  return callChain(rpcUrl, () =>
    rpc
      .readContract({ ...peerRegistry, functionName: 'peerIdOf', args: [peerKey] })
      .catch(error => (revertedWith(error)?.startsWith('PeerRegistry_UnknownPeer') ? null : Promise.reject(error))),
  )
}
