import { z } from 'zod'
import type { CamelKeys } from '#core/camelKeys.ts'
import { isOverTcp, mayListenAt } from './membership/dialable.ts'

const NOT_TCP = 'not a TCP multiaddr such as /ip4/0.0.0.0/tcp/4001'
const address = z.string().refine(isOverTcp, NOT_TCP)
const ownAddress = z.string().refine(mayListenAt, NOT_TCP)

/** The settings of a peer's network: schema, and what --help says. */
export const networkSettings = {
  // Works behind NAT without configuration: every interface, a free port, and a place at a relay.
  listen: z.array(ownAddress).max(8).default(['/ip4/0.0.0.0/tcp/0', '/ip6/::/tcp/0', '/p2p-circuit']).meta({
    value: 'MULTIADDR',
    description: 'address to listen on, may be repeated; /p2p-circuit is a relay for peers that cannot be dialled',
  }),
  announce: z.array(address).max(8).default([]).meta({
    value: 'MULTIADDR',
    description:
      'address at which others reach it behind a router or proxy, may be repeated (default: where it listens)',
  }),
  bootnodes: z.array(address).max(32).default([]).meta({
    option: 'bootnode',
    value: 'MULTIADDR',
    description: 'bootnode besides those on the chain, may be repeated',
  }),
  // Off: it sends to the whole local network.
  mdns: z.boolean().default(false).meta({ description: 'find peers on the local network by multicast' }),
  // Off: it opens a port in a router.
  upnp: z.boolean().default(false).meta({ description: 'ask the router for an open port' }),
  // 16 are enough for a mesh of 6 in every topic, with some to spare for peers that come and go.
  'target-peers': z.coerce
    .number()
    .int()
    .min(1)
    .max(128)
    .default(16)
    .meta({ value: 'N', description: 'registered peers to stay connected to' }),
  'max-connections': z.coerce
    .number()
    .int()
    .min(8)
    .max(1024)
    .default(128)
    .meta({ value: 'N', description: 'maximum number of connections; strangers get at most half' }),
}

/** How a node reaches others and is reached. Omitted fields have the network's own defaults. */
export type NetworkConfig = Pick<Settings, 'listen' | 'bootnodes'> & Partial<Settings>
type Settings = Readonly<CamelKeys<z.infer<z.ZodObject<typeof networkSettings>>>>
