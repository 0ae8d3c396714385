import { multiaddr } from '@multiformats/multiaddr'
import { isOverTcp } from '#p2p/membership/dialable.ts'

export type TcpTarget = { host: string; port: number }

/** Host and TCP port of a multiaddr; null for another transport, and for other text. */
export function tcpTargetOf(address: string): TcpTarget | null {
  if (!isOverTcp(address)) return null
  const components = multiaddr(address).getComponents()
  const host = components.find(({ name }) => ['ip4', 'ip6', 'dns', 'dns4', 'dns6'].includes(name))?.value
  const port = components.find(({ name }) => name === 'tcp')?.value
  return host === undefined || port === undefined ? null : { host, port: Number(port) }
}
