import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '../..')

/** Builds contracts and test contracts where nobody has; `npm test` has, before any suite that deploys. */
export async function buildContracts(artifactPath: string): Promise<void> {
  if (existsSync(artifactPath)) return
  const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js')
  const child = spawn(process.execPath, [hardhat, 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], reason] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(`npx hardhat build failed: ${reason}`)
}
