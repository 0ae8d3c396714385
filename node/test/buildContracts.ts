import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '../..')

/** Contracts that tests deploy: one each of the contracts and of the doubles, which are there after a build of both. */
const ARTIFACTS = ['src/SwarmCoordinator.sol/SwarmCoordinator.json', 'test/market/MarketDoubles.sol/TestToken.json']

/**
 * Vitest runs it once before all files of a project: two builds at a time would write the same folder. It builds the contracts and the
 * doubles that tests deploy where nobody has since they changed; `npm test` has, before any suite that deploys.
 */
export default async function buildContracts(): Promise<void> {
  const isBuilt = ARTIFACTS.every(path => existsSync(join(root, 'artifacts/contracts', path)))
  if (isBuilt && !(await areStale())) return
  const script = join(root, 'scripts/test/buildContracts.ts')
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], reason] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(`the contracts did not build: ${reason}`)
}

/** Whether a contract is younger than the last build. */
async function areStale(): Promise<boolean> {
  const built = await stat(join(root, 'cache/compile-cache.json')).catch(() => undefined)
  if (built === undefined) return true
  for await (const path of glob('contracts/{src,test}/**/*.sol', { cwd: root }))
    if ((await stat(join(root, path))).mtimeMs > built.mtimeMs) return true
  return false
}
