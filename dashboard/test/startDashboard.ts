import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dashboardBuild } from '../dashboardBuild.ts'
import { chainServer, deploymentRecord, gatewayServer, indexerServer } from './fixtures/servers.ts'
import { next, printed, TEST_BUILD } from './next.ts'

export interface RunningDashboard {
  url: string
  chain: ReturnType<typeof chainServer>
  indexer: ReturnType<typeof indexerServer>
  gateway: ReturnType<typeof gatewayServer>
  /** Has its server tell pages of another deployment, whose chain is asked instead of the made-up one. @returns undoes it. */
  follow: (deployment: object, chainUrl: string) => Promise<() => Promise<void>>
  /** A second server of the same build over the same sources, which has more in its environment. */
  serveBeside: (more: Record<string, string>) => Promise<Served>
  stop: () => Promise<void>
}

interface Served {
  url: string
  stop: () => Promise<void>
}

/** Serves the production build (`buildDashboard.ts`) over the given sources. */
async function serveBuild(sources: Record<string, string>): Promise<Served> {
  const build = await dashboardBuild(TEST_BUILD)
  const server = next(build.serve(0), { ...build.env, ...sources })
  const url = (await printed(server, /Local:\s+(http:\/\/\S+)[\s\S]*Ready/))?.[1] ?? ''
  const ended = new Promise<void>(resolve => server.on('exit', () => resolve()))
  return {
    url,
    stop: () => {
      server.kill()
      return ended
    },
  }
}

/** The dashboard with small servers for its three sources. */
export async function startDashboard(): Promise<RunningDashboard> {
  const chain = chainServer()
  const indexer = indexerServer()
  const gateway = gatewayServer()
  await Promise.all([chain.up(), indexer.up(), gateway.up()])
  const record = join(await mkdtemp(join(tmpdir(), 'waggle-dashboard-')), 'deployment.json')
  const tell = (deployment: object) => writeFile(record, JSON.stringify(deployment))
  await tell(deploymentRecord)
  const sources = {
    WAGGLE_DEPLOYMENT: record,
    WAGGLE_RPC_URL: chain.url,
    WAGGLE_INDEXER_URL: indexer.url,
    WAGGLE_GATEWAY_URL: gateway.url,
  }
  const { url, stop } = await serveBuild(sources)
  return {
    ...{ url, chain, indexer, gateway },
    async follow(deployment, chainUrl) {
      chain.behind = chainUrl
      await tell(deployment)
      return () => {
        chain.behind = null
        return tell(deploymentRecord)
      }
    },
    serveBeside: more => serveBuild({ ...sources, ...more }),
    stop: async () => {
      await Promise.all([stop(), chain.down(), indexer.down(), gateway.down()])
    },
  }
}
