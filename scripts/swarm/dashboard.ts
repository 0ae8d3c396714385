import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Managed, Supervisor } from './supervisor.ts'
import { answers, waitFor } from './waitFor.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'dashboard')
const stampPath = join(folder, '.next', 'waggle-sources')
const nextCli = createRequire(join(folder, 'package.json')).resolve('next/dist/bin/next')

/** Serving takes 148 MB with these limits and up to 274 without, at the same speed. */
const HEAP = ['--max-semi-space-size=8', '--max-old-space-size=96']

/** Hash over every source that the build reads; a build with the same hash is kept. */
async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const own = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !/[\\/](node_modules|\.next|test)[\\/]|next-env\.d\.ts$|\.(test\.tsx?|md|tsbuildinfo)$/.test(path))
  const shared = ['deployments/abi.ts', 'deployments/record.ts', 'node/src/core/peerName.ts'].map(path =>
    join(root, path),
  )
  for (const path of [...own, ...shared].sort()) hash.update(path.slice(root.length)).update(await readFile(path))
  return hash.digest('hex')
}

/** Builds the dashboard unless what is there was built from the same sources. */
export async function buildDashboard(supervisor: Supervisor): Promise<void> {
  const wanted = await sourcesHash()
  if ((await readFile(stampPath, 'utf8').catch(() => '')) === wanted) return
  const build = await supervisor.start(
    {
      name: 'dashboard-build',
      command: process.execPath,
      argv: [nextCli, 'build', folder],
      env: { NEXT_TELEMETRY_DISABLED: '1' },
    },
    () => {},
  )
  const status = await build.exited
  if (status !== 0) throw new Error(`the dashboard did not build (${status}); see ${build.logPath}`)
  await writeFile(stampPath, wanted)
}

export interface DashboardSettings {
  port: number
  env: Record<string, string>
}

export async function startDashboard(
  supervisor: Supervisor,
  { port, env }: DashboardSettings,
  onExit: (status: number | string) => void,
  signal: AbortSignal,
): Promise<Managed> {
  const managed = await supervisor.start(
    {
      name: 'dashboard',
      command: process.execPath,
      argv: [...HEAP, nextCli, 'start', folder, '--hostname', '127.0.0.1', '--port', String(port)],
      env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
    },
    onExit,
  )
  await waitFor(managed, () => answers(`http://127.0.0.1:${port}/`), 60_000, signal)
  return managed
}
