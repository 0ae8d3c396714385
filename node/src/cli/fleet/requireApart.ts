import { join } from 'node:path'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { PEER_KEY_FILE, SETTINGS_FILE, SWARM_PEM_FILE } from '#store/folderNames.ts'
import type { Config } from '../options/config.ts'
import { UsageError } from '../usageError.ts'

type Named = { readonly name: string; readonly config: Config }

/** Something of which a machine has one. */
type Claim = { readonly id: string; readonly shared: string; readonly hint: string }

/** A larger file is not a key. */
const MAX_KEY_BYTES = 16_384

/**
 * Checks that peers can run on one machine at the same time.
 *
 * @throws {UsageError} if two have one key, or need one port.
 */
export function requireApart(peers: readonly Named[]): void {
  const takenBy = new Map<string, string>()
  for (const { name, config } of peers) {
    for (const { id, shared, hint } of [...keyOf(config), ...portsOf(config)]) {
      const other = takenBy.get(id)
      if (other !== undefined) throw new UsageError(`${other} and ${name} both ${shared}.`, { hint })
      takenBy.set(id, name)
    }
  }
}

/** Two processes with one key would replace each other's commitments. */
function keyOf({ data }: Config): Claim[] {
  const file = [SWARM_PEM_FILE, PEER_KEY_FILE].find(one => isNamed(join(data, one)))
  if (file === undefined) return []
  const key = readSmallFile(join(data, file), MAX_KEY_BYTES).toString('base64')
  const hint = 'A peer runs once: move the copy, such as a backup, out of this folder.'
  return [{ id: `key ${key}`, shared: `have the key of one peer, in ${file}`, hint }]
}

/** Gateways serve on loopback. A port of 0 is a free one. */
function portsOf({ role, http, listen }: Config): Claim[] {
  const hint = `Give one of them another port, in its ${SETTINGS_FILE}`
  const served = { id: `http ${http}`, shared: `serve at port ${http}`, hint: `${hint}, such as http: ${http + 10}.` }
  const fixed = listen.filter(address => /\/(tcp|udp)\/[1-9]/.test(address))
  return [
    ...(role === 'gateway' ? [served] : []),
    ...fixed.map(address => ({ id: address, shared: `listen on ${address}`, hint: `${hint}: listen.` })),
  ]
}
