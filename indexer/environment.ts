import { resolve } from 'node:path'
import { z } from 'zod'
import { splitUrls } from '../node/src/core/redactUrls.ts'

const url = z.string().regex(/^https?:\/\//, 'must start with http:// or https://')

const schema = z.object({
  /** Path of the deployment's record, the only source of addresses and first blocks. */
  WAGGLE_DEPLOYMENT: z.string().min(1, 'is not set: give the path of a deployment record'),
  WAGGLE_RPC_URL: url,
  /** PGlite's folder. It can be rebuilt from the chain, so it may be deleted at any time. */
  WAGGLE_INDEX: z.string().min(1).default('.waggle/index'),
  /** Set for Postgres instead of PGlite. */
  DATABASE_URL: z.string().min(1).optional(),
})

interface IndexerEnvironment {
  deploymentPath: string
  rpcUrl: string
  indexFolder: string
  databaseUrl: string | undefined
  /** The chain runs on this machine: it may be reset, and answers at once. */
  isLocal: boolean
}

/**
 * The only reader of `process.env` in this package.
 *
 * @throws {Error} one line that names each variable that is missing or malformed.
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): IndexerEnvironment {
  const parsed = schema.safeParse(env)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`)
    throw new Error(`cannot start the indexer: ${faults.join('; ')}`)
  }
  const rpcHosts = splitUrls(parsed.data.WAGGLE_RPC_URL).map(rpcUrl => new URL(rpcUrl).hostname)
  return {
    deploymentPath: resolve(parsed.data.WAGGLE_DEPLOYMENT),
    rpcUrl: parsed.data.WAGGLE_RPC_URL,
    indexFolder: resolve(parsed.data.WAGGLE_INDEX),
    databaseUrl: parsed.data.DATABASE_URL,
    isLocal: rpcHosts.length === 1 && rpcHosts.every(host => ['127.0.0.1', 'localhost', '[::1]'].includes(host)),
  }
}
