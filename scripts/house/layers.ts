/** A layer and those that it may import, all of them above it in the table. */
export interface Layer {
  /** A folder with all that is in it, or a file; the longest that fits counts. */
  place: string
  imports: readonly string[]
}

const layer = (place: string, ...imports: readonly string[]): Layer => ({ place, imports })

const under =
  (folder: string) =>
  (...names: readonly string[]) =>
    names.map(name => `${folder}/${name}`)
const model = under('node/model/src')
const node = under('node/src')
const dashboard = under('dashboard/src')
const scripts = under('scripts')

const COMMON = [...model('base'), ...node('core')]
const ROLES_USE = node('environments', 'hub', 'sandbox', 'market', 'chain', 'p2p', 'store')
/** Layers that scripts measure or run, and tests use. */
const PEERS = [
  'deployments',
  ...model('base', 'engine', 'model', 'rl'),
  ...node('core'),
  ...ROLES_USE,
  ...node('roles', 'cli'),
]

/** Every layer of the repository, the lowest first. */
export const layers: readonly Layer[] = [
  layer('deployments'),

  layer('node/model/src/base'),
  layer('node/model/src/engine', ...model('base')),
  layer('node/model/src/model', ...model('base', 'engine')),
  layer('node/model/src/rl', ...model('base', 'engine', 'model')),
  layer('node/model/src/library', ...model('base', 'engine', 'model', 'rl')),

  layer('node/src/core', ...model('base'), 'deployments'),
  layer('node/src/environments', ...COMMON, ...model('model', 'rl')),
  layer('node/src/hub', ...COMMON),
  layer('node/src/sandbox', ...COMMON),
  layer('node/src/market', ...COMMON),
  layer('node/src/chain', ...COMMON, 'deployments'),
  layer('node/src/p2p', ...COMMON, 'deployments'),
  layer('node/src/store', ...COMMON, 'deployments'),
  layer('node/src/roles', ...COMMON, 'deployments', ...model('model', 'rl'), ...ROLES_USE),
  layer('node/src/cli', ...COMMON, 'deployments', ...model('model', 'rl'), ...ROLES_USE, ...node('roles')),

  layer('indexer/rules', 'deployments'),
  layer('indexer/schema', 'deployments', 'indexer/rules'),
  layer('indexer/src', 'deployments', ...node('core'), 'indexer/rules', 'indexer/schema'),
  layer('indexer/launch', 'deployments', ...node('core')),
  layer('indexer', 'deployments', ...node('core'), 'indexer/launch', 'indexer/schema'),

  layer('dashboard/src/sources', 'deployments'),
  layer('dashboard/src/merge', 'deployments', 'dashboard/src/sources'),
  layer('dashboard/src/chain', 'deployments', 'dashboard/src/sources', 'dashboard/src/merge'),
  layer('dashboard/src/live', ...dashboard('sources', 'merge', 'chain')),
  layer('dashboard/src/components', 'deployments', ...dashboard('sources', 'merge', 'chain', 'live')),
  layer('dashboard/src/app', ...node('core'), ...dashboard('sources', 'merge', 'chain', 'live', 'components')),
  layer('dashboard', 'dashboard/src/sources'),

  layer('contracts/src'),
  layer('scripts/base', 'node/src/cli'),
  layer('scripts/measure', ...model('engine')),
  layer('scripts/test/longFirst.ts'),
  layer('vitest.config.ts', 'scripts/test/longFirst.ts'),
  layer('scripts/coverage'),
  layer('scripts/solidity'),
  layer('scripts/deploy', 'deployments', ...model('base'), 'node/src/environments'),
  layer('hardhat.config.ts', 'scripts/deploy', 'scripts/solidity'),
  layer('scripts/docker'),
  layer('scripts/swarm', ...PEERS, 'scripts/base', 'scripts/deploy', 'dashboard'),
  layer('scripts/starter', ...PEERS, 'scripts/base'),
  layer('scripts/chaos', ...PEERS, ...scripts('base', 'measure', 'swarm')),
  layer('scripts/experiment', ...PEERS, ...scripts('base', 'measure', 'swarm')),

  // Helpers that tests share, and that scripts and tests of packages above use.
  layer('contracts/test', 'contracts/src', ...PEERS, ...scripts('base', 'deploy')),
  layer('node/test', ...PEERS, 'node/model/src/library', ...scripts('base', 'deploy', 'swarm', 'experiment')),
  layer('indexer/test', ...PEERS, 'node/test', 'scripts/base'),
  layer('dashboard/test', ...PEERS, 'dashboard', 'node/test', 'indexer/test'),

  layer('scripts/simulate', ...PEERS, ...scripts('base', 'measure', 'solidity'), 'contracts/test'),
  layer(
    'scripts/bench',
    ...PEERS,
    'dashboard/src/sources',
    ...scripts('base', 'measure', 'deploy', 'swarm', 'starter', 'experiment', 'simulate'),
    ...['contracts/test', 'node/test', 'indexer/test', 'dashboard/test'],
  ),
  layer('scripts/golden', ...PEERS, 'scripts/bench'),
  layer('scripts/mutate', ...scripts('base', 'solidity'), 'node/src/cli'),
  layer('scripts/test', ...scripts('solidity', 'simulate')),
  layer('scripts/house', 'scripts/measure'),
  layer('scripts/systemd'),
  // `npm run NAME`.
  layer(
    'scripts',
    'node/src/cli',
    ...model('engine'),
    ...scripts('base', 'measure', 'bench', 'chaos', 'coverage', 'experiment', 'house', 'mutate'),
    ...scripts('simulate', 'solidity', 'starter', 'swarm', 'test'),
  ),
]
