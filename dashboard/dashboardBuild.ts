import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const folder = import.meta.dirname
const root = join(folder, '..')
const nextCli = createRequire(import.meta.url).resolve('next/dist/bin/next')

/** Sources elsewhere that are built in. */
const shared = [
  'deployments/record.ts',
  'deployments/protocol.ts',
  'node/src/core/peers/peerName.ts',
  'node/src/core/redactUrls.ts',
  'node/src/core/withoutCredentials.ts',
]
const sharedFolder = 'deployments/abi'

/** A build whose stamp names today's sources need not be made again. */
const STAMP = 'waggle-sources'

/** Hash over every source that the build reads. */
async function sourcesHash(): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const own = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !/[\\/](node_modules|\.next|test)[\\/]|next-env\.d\.ts$|\.(test\.tsx?|md|tsbuildinfo)$/.test(path))
  const abis = (await readdir(join(root, sharedFolder))).map(name => join(sharedFolder, name))
  const hash = createHash('sha256')
  for (const path of [...own, ...[...shared, ...abis].map(path => join(root, path))].sort())
    hash.update(path.slice(root.length)).update(await readFile(path))
  return hash.digest('hex')
}

/**
 * The dashboard's production build: whether it is there, and Node's arguments that make and serve it.
 *
 * @param distDir - where it lies, from the dashboard's folder.
 */
export async function dashboardBuild(distDir: string) {
  const stamp = join(folder, distDir, STAMP)
  const wanted = await sourcesHash()
  return {
    isCurrent: (await readFile(stamp, 'utf8').catch(() => '')) === wanted,
    make: [nextCli, 'build', folder],
    serve: (port: number) => [nextCli, 'start', folder, '--hostname', '127.0.0.1', '--port', String(port)],
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', WAGGLE_DASHBOARD_BUILD: distDir },
    /** To be called once it has been made. */
    stamp: () => writeFile(stamp, wanted),
  }
}
