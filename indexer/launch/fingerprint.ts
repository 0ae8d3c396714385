import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)

/** All inputs of an index, apart from the chain's blocks after the first. */
export interface Origin {
  deployment: Deployment
  /** Hash of the deployment's first block: distinguishes a reset chain from a continued one. */
  firstBlockHash: `0x${string}`
}

/**
 * Name of an index by its inputs: the deployment, the chain, the code of the handlers, Ponder's version. Ponder refuses a schema that
 * other code has filled; a name per input gives each an empty one.
 *
 * @returns a database schema name, `waggle_` and 16 hexadecimal digits.
 */
export function fingerprint({ deployment, firstBlockHash }: Origin): string {
  const { chainId, contracts } = deployment
  const hash = createHash('sha256').update(JSON.stringify({ chainId, contracts, firstBlockHash }))
  for (const file of inputFiles()) hash.update(readFileSync(file))
  return `waggle_${hash.digest('hex').slice(0, 16)}`
}

/** Code of a peer that names peers, and that decides which proposed tasks an index has. */
const OF_PEERS = [
  ...['peers/peerName.ts', 'payloads/taskProposal.ts', 'payloads/payloadFields.ts'],
  ...['canonical.ts', 'cborItems.ts', 'hashes.ts', 'hex.ts', 'keccak.ts'],
]

/** The files by which an index is named, with absolute paths. */
export function inputFiles(): string[] {
  const sources = globSync(['ponder.config.ts', 'ponder.schema.ts', 'schema/*.ts', 'rules/*.ts', 'src/*.ts'], {
    cwd: root,
  }).sort()
  return [
    ...sources.map(file => join(root, file)),
    ...['@waggle/deployments/abi', '@waggle/deployments/protocol'].map(id => require.resolve(id)),
    ...OF_PEERS.map(file => join(root, '../node/src/core', file)),
    join(root, '../node_modules/ponder/package.json'),
  ]
}
