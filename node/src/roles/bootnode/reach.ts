import type { Logger } from '#core/logger.ts'
import { isMultiaddr } from '#p2p/gossip/addressAnnouncement.ts'

/** How a node reaches others and is reached. */
export type Reach = {
  /** Multiaddrs. */
  listen: readonly string[]
  bootnodes: readonly string[]
  /** Multiaddrs that others reach it at, where they differ from those listened on. */
  announce?: readonly string[]
  mdns?: boolean
  upnp?: boolean
  targetPeers?: number
  maxConnections?: number
}

/** Without bootnodes; what is not said is the network's own choice. */
export function reachOf({ listen, announce, mdns, upnp, targetPeers, maxConnections }: Reach) {
  return {
    listen,
    ...(announce && { announce }),
    ...(mdns !== undefined && { mdns }),
    ...(upnp !== undefined && { upnp }),
    ...(targetPeers && { targetPeers }),
    ...(maxConnections && { maxConnections }),
  }
}

/** The bootnodes on the chain that this release can read: an unreadable entry does not keep a node from starting. */
export function readableBootnodes(bootnodes: readonly string[], logger: Logger): string[] {
  const unreadable = bootnodes.filter(address => !isMultiaddr(address))
  if (unreadable.length > 0) logger.warn('skipping bootnodes on the chain that are not multiaddrs', { unreadable })
  return bootnodes.filter(isMultiaddr)
}
