import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseRedirects } from './refuseRedirects.ts'
import { skipCodegen } from './skipCodegen.ts'
import { thinFailures } from './thinFailures.ts'

/** Rows that Ponder may keep in memory while it catches up, bytes. Its default is a fifth of the heap limit. */
const CACHE_BYTES = 32 * 1024 * 1024

interface Options {
  /** Database schema. */
  schema: string
  port: string
  host: string
  /** Folder of Ponder's generated GraphQL schema, where it would also look for an `.env.local`. */
  workingFolder: string
  /** Path of the deployment's record, absolute: the configuration reads it from the environment, in the working folder. */
  deploymentPath: string
}

/** Runs `ponder start` in this process; it handles signals from here on. */
export async function runPonder({ schema, port, host, workingFolder, deploymentPath }: Options): Promise<void> {
  mkdirSync(workingFolder, { recursive: true })
  process.chdir(workingFolder)
  Object.assign(process.env, { WAGGLE_DEPLOYMENT: deploymentPath, WAGGLE_INDEX: workingFolder })
  // Takes precedence over --port.
  delete process.env.PORT
  process.env.PONDER_TELEMETRY_DISABLED = '1'
  process.env.PONDER_CACHE_BYTES ??= String(CACHE_BYTES)
  skipCodegen()
  refuseRedirects()
  // Ponder's logger has no other output.
  console.log = thinFailures(console.log.bind(console))
  const entry = new URL('./bin/ponder.js', import.meta.resolve('ponder'))
  process.argv = [
    ...[process.argv0, entry.pathname, '--root', join(import.meta.dirname, '..')],
    ...['--log-level', process.env.PONDER_LOG_LEVEL ?? 'warn'],
    ...['start', '--schema', schema, '--port', port, '--hostname', host],
  ]
  await import(entry.href)
}
