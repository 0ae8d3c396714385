import { dialable } from '../membership/dialable.ts'
import { isRelayed } from '../membership/origin.ts'

/** How peers of other networks reach this host. */
export type Reachability = {
  readonly by: 'direct' | 'relay' | 'nothing'
  /** Multiaddrs that AutoNAT confirmed, or that the operator announces unchecked. */
  readonly publicAddresses: readonly string[]
}

/** @param addresses - those that the host announces; libp2p leaves out a public one until other peers have dialled it. */
export function reachabilityOf(addresses: readonly string[]): Reachability {
  const publicAddresses = dialable(addresses, [], false).filter(one => !isRelayed(one))
  const by = publicAddresses.length > 0 ? 'direct' : addresses.some(isRelayed) ? 'relay' : 'nothing'
  return { by, publicAddresses }
}

/**
 * Describes the reachability; `advice` is the operator's next step to become reachable.
 *
 * @param isLocalChain - all peers of a local chain are on its machine, so that no other has to reach them.
 */
export function sayReachability(
  { by, publicAddresses }: Reachability,
  isLocalChain: boolean,
): { found: string; advice: string | null } {
  if (by === 'direct') return { found: `directly, at ${publicAddresses.join(', ')}`, advice: null }
  if (by === 'relay') return { found: 'through a relay', advice: null }
  if (isLocalChain) return { found: 'from this machine, where all peers of a local chain are', advice: null }
  return {
    found: 'not from other networks: no public address was confirmed, and no relay gives it a place',
    advice:
      'Forward a port (--listen /ip4/0.0.0.0/tcp/4001), or try --upnp; for a relay listen on /p2p-circuit and connect to a bootnode.',
  }
}
