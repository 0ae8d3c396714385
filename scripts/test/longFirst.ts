import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')

/** Files that take at least ten seconds on two idle cores, the longest first. */
const LONG = [
  'node/test/devices.e2e.test.ts',
  'node/test/chatSwarm.e2e.test.ts',
  'node/test/sponsor.e2e.test.ts',
  'node/test/cliErrors.e2e.test.ts',
  'node/test/silentEndpoint.e2e.test.ts',
  'node/test/opTable.device.test.ts',
  'node/test/cli.e2e.test.ts',
  'node/test/determinism.test.ts',
  'node/test/stakes.e2e.test.ts',
  'node/test/proposerLeaves.e2e.test.ts',
  'node/test/chain.e2e.test.ts',
  'node/test/hostileAnswers.test.ts',
  'node/test/lyingStart.e2e.test.ts',
  'node/test/marketPlays.e2e.test.ts',
  'node/test/outboxKill.e2e.test.ts',
  'node/test/p2pMembership.e2e.test.ts',
  'dashboard/test/dashboard.e2e.test.ts',
  'dashboard/test/wallets.e2e.test.ts',
  'dashboard/test/outages.e2e.test.ts',
  'scripts/bench/gpu/kit.test.ts',
  'scripts/simulate/network/simulateSwarm.test.ts',
  'scripts/starter/execute.test.ts',
  'indexer/test/restart.e2e.test.ts',
  'indexer/test/events.e2e.test.ts',
].map(file => join(root, file))

/** Begins with long files: Vitest goes by size where no earlier run is known, and a long one that begins last runs alone. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONG.filter(file => !existsSync(file))
    if (missing.length > 0) throw new Error(`no test ${missing.join(', ')}`)
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const rankOf = ({ project, moduleId }: TestSpecification) => {
      const place = LONG.indexOf(moduleId)
      return projects.indexOf(project.name) * (LONG.length + 1) + (place < 0 ? LONG.length : place)
    }
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
