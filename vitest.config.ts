import { defineConfig } from 'vitest/config'
import { LongFirst } from './scripts/test/longFirst.ts'

/** Set-up that a project runs once before its files. */
type Setup = string[]

const SWARM = 'scripts/*.e2e.test.ts'
const BROWSER = 'dashboard/test/*.e2e.test.ts'

/** How long a test polls for something. A slow machine needs more than Vitest's second. */
const expecting = { poll: { timeout: 30_000 } }

const project = (
  name: string,
  include: string[],
  testTimeout: number,
  globalSetup: Setup = [],
  left: string[] = [],
) => ({
  test: {
    ...{ name, include, exclude: ['**/node_modules/**', '**/*.long.test.ts', ...left], globalSetup },
    ...{ testTimeout, hookTimeout: testTimeout, expect: expecting },
  },
})

/**
 * Files share the modules that they import, so that each is loaded once per worker. This is sound as long as modules keep only caches (results
 * of pure functions, compiled programs of a device, facts about an object), and tests restore what they replace, even when they fail.
 */
const shared = ({ test }: ReturnType<typeof project>) => ({ test: { ...test, isolate: false } })

/** Tests of which many wait for chains, sockets and timers: more of them at once than there are cores. Groups below 0 are not executed. */
const waiting = ({ test }: ReturnType<typeof project>) => ({
  test: { ...test, maxWorkers: 5, sequence: { groupOrder: 1 } },
})

/** Tests that take minutes: only `npm run test:long` runs them. */
const longProject = (name: string, include: string[], globalSetup: Setup) => ({
  test: { name, include, globalSetup, testTimeout: 600_000, hookTimeout: 600_000, expect: expecting },
})

/**
 * Tests in a browser, with its pages, a wallet and a chain in five processes, which wait for each other: three files at once. One that fails is run
 * again; `npm test` shows why it failed.
 */
const browsing = ({ test }: ReturnType<typeof project>) => ({
  test: { ...test, retry: 1, maxWorkers: 3, sequence: { groupOrder: 2 } },
})

const built = ['node/test/buildContracts.ts']
const pages = [...built, 'dashboard/test/buildDashboard.ts']

/** One project a package. `scripts/test/suites.ts` says which run side by side. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    projects: [
      shared(project('node', ['node/{src,model/src}/**/*.test.ts'], 60_000, built)),
      waiting(project('node-e2e', ['node/test/**/*.test.ts'], 120_000, built)),
      longProject('long', ['{node,scripts,indexer}/**/*.long.test.ts'], built),
      longProject('long-pages', ['dashboard/**/*.long.test.ts'], pages),
      project('indexer', ['indexer/**/*.test.ts'], 90_000, built),
      shared(project('dashboard', ['dashboard/**/*.test.{ts,tsx}'], 120_000, built, [BROWSER])),
      browsing(project('dashboard-e2e', [BROWSER], 120_000, pages)),
      shared(project('scripts', ['scripts/**/*.test.ts'], 120_000, [], [SWARM])),
      project('swarm', [SWARM], 900_000),
    ],
  },
})
