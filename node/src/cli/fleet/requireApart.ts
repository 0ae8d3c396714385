import { join } from 'node:path'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { PEER_KEY_FILE, SETTINGS_FILE, SWARM_PEM_FILE } from '#store/folderNames.ts'
import { tcpTargetOf } from '../doctor/tcpTarget.ts'
import type { Config } from '../options/config.ts'
import { UsageError } from '../usageError.ts'

type Named = { readonly name: string; readonly config: Config }

/** A TCP port of an address of the machine. `isDual`: at '::' also that of IPv4, as for HTTP servers but not for libp2p. */
type Port = { readonly host: string; readonly port: number; readonly isDual: boolean }

/** A larger file is not a key. */
const MAX_KEY_BYTES = 16_384

/**
 * Checks that peers can run on one machine at the same time.
 *
 * @throws {UsageError} if two have one key, or need one port.
 */
export function requireApart(peers: readonly Named[]): void {
  const needs = peers.map(({ name, config }) => ({ name, key: keyOf(config), ports: portsOf(config) }))
  for (const [at, { name, key, ports }] of needs.entries()) {
    for (const other of needs.slice(0, at)) {
      if (key !== null && key.content === other.key?.content)
        throw new UsageError(`${other.name} and ${name} both have the key of one peer, in ${key.file}.`, {
          hint: 'A peer runs once: move the copy, such as a backup, out of this folder.',
        })
      const taken = ports.find(port => other.ports.some(one => isSame(one, port)))
      if (taken !== undefined)
        throw new UsageError(`${other.name} and ${name} both need TCP port ${taken.port}.`, {
          hint: `Give one of them another port, in its ${SETTINGS_FILE} (listen, http, metrics-port) or with --metrics-port.`,
        })
    }
  }
}

/** Two processes with one key would replace each other's commitments. */
function keyOf({ data }: Config): { file: string; content: string } | null {
  const file = [SWARM_PEM_FILE, PEER_KEY_FILE].find(one => isNamed(join(data, one)))
  if (file === undefined) return null
  return { file, content: readSmallFile(join(data, file), MAX_KEY_BYTES).toString('base64') }
}

/** The fixed ports: a port of 0 is a free one. */
function portsOf(config: Config): Port[] {
  const { role, http, listen, 'metrics-port': metrics = 0 } = config
  const served = role === 'gateway' ? [{ host: config.bind, port: http, isDual: true }] : []
  const measured = { host: config['metrics-bind'], port: metrics, isDual: true }
  // An address through a relay is that of another machine.
  const own = listen.filter(address => !address.includes('p2p-circuit')).map(tcpTargetOf)
  const dialled = own.filter(target => target !== null).map(target => ({ ...target, isDual: false }))
  return [...served, measured, ...dialled].filter(({ port }) => port !== 0)
}

const isSame = (a: Port, b: Port) => a.port === b.port && (a.host === b.host || covers(a, b) || covers(b, a))

/** Whether a port is at every address of the machine, and that of another one is among them. */
function covers({ host, isDual }: Port, other: Port): boolean {
  const isV6 = other.host.includes(':')
  return (host === '0.0.0.0' && !isV6) || (host === '::' && (isV6 || isDual))
}
