import type { Reach } from '#roles/bootnode/reach.ts'
import type { Values } from '../command.ts'
import type { Config } from './config.ts'

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const

/** How a node reaches others and is reached. */
export const reachOptions = {
  listen: list,
  announce: list,
  bootnode: list,
  mdns: { type: 'boolean' },
  upnp: { type: 'boolean' },
  'target-peers': text,
  'max-connections': text,
} as const

export const reachUsage = `  --announce MULTIADDR
                      address at which others reach it behind a router or proxy, may be repeated (default: where it listens)
  --bootnode MULTIADDR
                      bootnode besides those on the chain, may be repeated
  --mdns              find peers on the local network by multicast
  --upnp              ask the router for an open port
  --target-peers N    registered peers to stay connected to (default 16)
  --max-connections N
                      maximum number of connections; strangers get at most half (default 128)`

/** The option is for one, the setting for all. */
export function settingsOf({ bootnode, ...flags }: Values): Record<string, unknown> {
  return { ...flags, bootnodes: bootnode }
}

export function reachOfConfig(config: Config): Reach {
  const {
    listen,
    bootnodes,
    announce,
    mdns,
    upnp,
    'target-peers': targetPeers,
    'max-connections': maxConnections,
  } = config
  return { listen, bootnodes, announce, mdns, upnp, targetPeers, maxConnections }
}
