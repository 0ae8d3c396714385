import type { Logger } from '#core/logger.ts'
import { isOverTcp } from '#p2p/membership/dialable.ts'

/** The bootnodes on the chain that this release can read: an unreadable entry does not keep a node from starting. */
export function readableBootnodes(bootnodes: readonly string[], logger: Logger): string[] {
  const unreadable = bootnodes.filter(address => !isOverTcp(address))
  if (unreadable.length > 0) logger.warn('skipping bootnodes on the chain that are not TCP multiaddrs', { unreadable })
  return bootnodes.filter(isOverTcp)
}
