import { multiaddr } from '@multiformats/multiaddr'
import { originOf } from './origin.ts'

/**
 * The addresses that this host may dial.
 *
 * @param isNear - whether their peer is in the same network as this host, so that a private address leads to it and not to another's router.
 */
export function dialable(addresses: readonly string[], ownAddresses: readonly string[], isNear: boolean): string[] {
  // In a swarm on one machine all addresses are loopback; elsewhere a loopback address is an error or an attack.
  const local = isLocal(ownAddresses)
  return addresses.filter(address => {
    const origin = originOf(address)
    if (origin === null || !isOverTcp(address)) return false
    return origin.isLoopback ? local : isNear || !origin.isPrivate
  })
}

/** Whether a host with these addresses has none but loopback. */
export const isLocal = (ownAddresses: readonly string[]): boolean =>
  ownAddresses.length > 0 && ownAddresses.every(isLoopback)

export function isPrivate(address: string): boolean {
  return originOf(address)?.isPrivate ?? false
}

export function isLoopback(address: string): boolean {
  return originOf(address)?.isLoopback ?? false
}

const OVER_TCP = /^(ip6zone )?(ip4|ip6|dns[46]?) tcp( p2p)?( p2p-circuit( p2p)?)?$/

/** Whether the text is a multiaddr of a host and a TCP port, or of a relay there. No protocol above TCP may follow, such as WebSockets. */
export function isOverTcp(address: string): boolean {
  try {
    const components = multiaddr(address).getComponents()
    return OVER_TCP.test(components.map(({ name }) => name).join(' '))
  } catch {
    return false
  }
}

/** Whether a host may listen at this multiaddr: over TCP, or at any relay. */
export const mayListenAt = (address: string): boolean => address === '/p2p-circuit' || isOverTcp(address)
