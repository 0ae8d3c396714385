import { multiaddr } from '@multiformats/multiaddr'
import { z } from 'zod'

const address = z.string().refine(isMultiaddr, 'not a multiaddr such as /ip4/0.0.0.0/tcp/4001')

/** The settings of a peer that are about the network, by the names of their options. */
export const networkSettings = {
  /**
   * Every interface and a free port, and a place at a relay: an operator behind NAT has nothing to choose. IPv6 where the machine has
   * it.
   */
  listen: z.array(address).max(8).default(['/ip4/0.0.0.0/tcp/0', '/ip6/::/tcp/0', '/p2p-circuit']),
  /** Where others reach this peer, if a router or a proxy stands before it. */
  announce: z.array(address).max(8).default([]),
  /** In addition to those that the registry on the chain names. */
  bootnodes: z.array(address).max(32).default([]),
  /** Off, as it sends to the whole local network. */
  mdns: z.boolean().default(false),
  /** Off, as it opens a port in a router. */
  upnp: z.boolean().default(false),
  /** Connections sought with registered peers. 16 reach a mesh of 6 for every topic, and some to spare for peers that come and go. */
  'target-peers': z.coerce.number().int().min(1).max(128).default(16),
  /** Slots for connections, those that came in included. */
  'max-connections': z.coerce.number().int().min(8).max(1024).default(128),
}

function isMultiaddr(text: string): boolean {
  try {
    return multiaddr(text).getComponents().length > 0
  } catch {
    return false
  }
}
