import { multiaddr } from '@multiformats/multiaddr'
import { z } from 'zod'

const address = z.string().refine(isMultiaddr, 'expected a multiaddr such as /ip4/0.0.0.0/tcp/38331')

/** The part of the node's configuration that is about the network. */
export const networkConfigSchema = z.strictObject({
  /** Any free port will do for a peer; a bootnode sets a fixed one, as others must find it. */
  listen: z.array(address).max(8).default(['/ip4/0.0.0.0/tcp/0']),
  /** Where others reach this peer, if a router or a proxy stands before it. */
  announce: z.array(address).max(8).default([]),
  /** Beside those that the registry on the chain names. */
  bootnodes: z.array(address).max(32).default([]),
  /** Off, as it sends to the whole local network. */
  mdns: z.boolean().default(false),
  /** Connections sought. 16 reach a mesh of 6 for every topic, with room for peers that come and go. */
  targetPeers: z.int().min(1).max(128).default(16),
  /** Connections kept, those that came in included. */
  maxConnections: z.int().min(8).max(1024).default(128),
})

export type NetworkConfig = z.infer<typeof networkConfigSchema>

function isMultiaddr(text: string): boolean {
  try {
    multiaddr(text)
    return true
  } catch {
    return false
  }
}
