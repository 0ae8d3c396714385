import { peerRegistryAbi } from '@waggle/deployments/abi/peerRegistry'
import { type Config, readContract } from '@wagmi/core'
import type { Address, Hex } from 'viem'
import type { Network } from '#sources/network.ts'

/** An account may own more; the first ones are enough for a list. */
const SHOWN_PEERS = 24
/** Keys that one call reads: endpoints limit its gas. */
const KEYS_A_CALL = 1_000

interface OwnPeer {
  peerKey: Hex
  peerId: string
}

export interface OwnPeers {
  /** Of all of them, lower case. */
  keys: ReadonlySet<string>
  /** The first ones. */
  shown: OwnPeer[]
}

/** The peers of an account, from PeerRegistry itself, so that no index has to be trusted. */
export async function readOwnPeers(config: Config, network: Network, account: Address): Promise<OwnPeers> {
  const registry = { address: network.peerRegistry, abi: peerRegistryAbi } as const
  const keys: Hex[] = []
  let found: readonly Hex[]
  do {
    const args = [account, BigInt(keys.length), BigInt(KEYS_A_CALL)] as const
    found = await readContract(config, { ...registry, functionName: 'peersOf', args })
    keys.push(...found)
  } while (found.length === KEYS_A_CALL)
  const shown = await Promise.all(
    keys.slice(0, SHOWN_PEERS).map(async peerKey => ({
      peerKey,
      peerId: await readContract(config, { ...registry, functionName: 'peerIdOf', args: [peerKey] }),
    })),
  )
  return { keys: new Set(keys.map(key => key.toLowerCase())), shown }
}
