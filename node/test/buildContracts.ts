import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '../..')

/** Builds the contracts and the doubles that tests deploy where nobody has; `npm test` has, before any suite that deploys. */
export async function buildContracts(artifactPath: string): Promise<void> {
  if (existsSync(artifactPath)) return
  const script = join(root, 'scripts/test/buildContracts.ts')
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], reason] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(`the contracts did not build: ${reason}`)
}
