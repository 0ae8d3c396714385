import { join } from 'node:path'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // Tests build into their own folder, so that they never pull the build from under a dashboard that is running.
  distDir: process.env.WAGGLE_DASHBOARD_BUILD ?? '.next',
  transpilePackages: ['@waggle/deployments', '@waggle/node'],
  turbopack: { root: join(import.meta.dirname, '..') },
  // `npm run typecheck -w @waggle/dashboard` does it, and the tests run that: a first `npm run swarm` waits for the build.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  agentRules: false,
  experimental: {
    // Two cores are shared with a whole swarm: one worker is as fast for four pages and half the memory.
    cpus: 1,
    useOffline: true,
    // A build happens once for each change of the sources, and writing a cache for the next one takes a third of its time.
    turbopackFileSystemCacheForBuild: false,
  },
}

export default config
