import { multiaddr } from '@multiformats/multiaddr'
import { originOf } from './origin.ts'

/**
 * The well-formed addresses that this host may dial.
 *
 * @param isNear - whether their peer is in the same network as this host, so that a private address leads to it and not to another's router.
 */
export function dialable(addresses: readonly string[], ownAddresses: readonly string[], isNear: boolean): string[] {
  // In a swarm on one machine all addresses are loopback; elsewhere a loopback address is an error or an attack.
  const local = isLocal(ownAddresses)
  return addresses.filter(address => {
    const origin = originOf(address)
    // One without a host may be a socket of this machine.
    if (origin === null) return false
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

/** True if this host supports the address. */
export function isMultiaddr(address: string): boolean {
  try {
    multiaddr(address)
    return true
  } catch {
    return false
  }
}
