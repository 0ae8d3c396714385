import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainServer, deploymentRecord, gatewayServer, indexerServer } from './fixtures/servers.ts'

const dashboard = join(import.meta.dirname, '..')
const nextCommand = createRequire(import.meta.url).resolve('next/dist/bin/next')
const build = 'test/.next'
const quiet = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: 'production' as const,
  WAGGLE_DASHBOARD_BUILD: build,
}

function newestMs(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map(name => newestMs(join(path, name))))
}

function isBuildStale(): boolean {
  const sources = ['src', 'next.config.ts', 'postcss.config.mjs', 'package.json', '../deployments/abi.ts']
  const built = statSync(join(dashboard, build, 'BUILD_ID'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.some(source => newestMs(join(dashboard, source)) > built)
}

/** Next's command, in this build's folder; it never outlives the tests. */
function next(argv: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [nextCommand, ...argv], { env: { ...quiet, ...env } })
  process.once('exit', () => child.kill())
  return child
}

/** Collects what a child prints, and resolves once it has printed `wanted` (null: once it has ended well). */
function printed(child: ChildProcess, wanted: RegExp | null): Promise<RegExpExecArray | null> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const match = wanted?.exec(output)
      if (match) resolve(match)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('error', reject)
    child.on('exit', code =>
      wanted === null && code === 0 ? resolve(null) : reject(new Error(`next ended: ${output}`)),
    )
  })
}

export interface RunningDashboard {
  url: string
  chain: ReturnType<typeof chainServer>
  indexer: ReturnType<typeof indexerServer>
  gateway: ReturnType<typeof gatewayServer>
  stop: () => Promise<void>
}

/** The production build, made if the sources are newer, and served beside small servers for its three sources. */
export async function startDashboard(): Promise<RunningDashboard> {
  if (isBuildStale()) await printed(next(['build', dashboard]), null)
  const chain = chainServer()
  const indexer = indexerServer()
  const gateway = gatewayServer()
  await Promise.all([chain.up(), indexer.up(), gateway.up()])
  const record = join(await mkdtemp(join(tmpdir(), 'waggle-dashboard-')), 'deployment.json')
  await writeFile(record, JSON.stringify(deploymentRecord))
  const server = next(['start', dashboard, '--hostname', '127.0.0.1', '--port', '0'], {
    WAGGLE_DEPLOYMENT: record,
    WAGGLE_RPC_URL: chain.url,
    WAGGLE_INDEXER_URL: indexer.url,
    WAGGLE_GATEWAY_URL: gateway.url,
  })
  const url = (await printed(server, /Local:\s+(http:\/\/\S+)[\s\S]*Ready/))?.[1] ?? ''
  const ended = new Promise<void>(resolve => server.on('exit', () => resolve()))
  return {
    url,
    chain,
    indexer,
    gateway,
    stop: async () => {
      server.kill()
      await Promise.all([ended, chain.down(), indexer.down(), gateway.down()])
    },
  }
}
