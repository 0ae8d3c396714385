import { peerRegistryAbi } from '@waggle/deployments/abi/peerRegistry'
import { type Config, readContract } from '@wagmi/core'
import type { Address, Hex } from 'viem'
import type { Network } from '#sources/network.ts'

/** An account may own more; the first ones are enough for a menu. */
const SHOWN_PEERS = 24n

export interface OwnPeer {
  peerKey: Hex
  peerId: string
}

/** The peers of an account, from PeerRegistry itself, so that no index has to be trusted. */
export async function readOwnPeers(config: Config, network: Network, account: Address): Promise<OwnPeer[]> {
  const registry = { address: network.peerRegistry, abi: peerRegistryAbi } as const
  const peerKeys = await readContract(config, {
    ...registry,
    functionName: 'peersOf',
    args: [account, 0n, SHOWN_PEERS],
  })
  return Promise.all(
    peerKeys.map(async peerKey => ({
      peerKey,
      peerId: await readContract(config, { ...registry, functionName: 'peerIdOf', args: [peerKey] }),
    })),
  )
}
