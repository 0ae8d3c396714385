import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readEnvironment as readDashboard } from '../../dashboard/src/sources/environment.ts'
import { readEnvironment as readIndexer } from '../../indexer/environment.ts'
import { parseCommand } from '../../node/src/cli/parseCommand.ts'
import { verbs } from '../../node/src/cli/verbs.ts'
import { roleSettings } from '../../node/src/roles/roleSettings.ts'

const INSTALLED = '/opt/waggle/'
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'deployments/systemd')

/** A swarm's settings in `/etc/waggle`. */
const swarm = {
  WAGGLE_DEPLOYMENT: `${INSTALLED}deployments/sepolia.json`,
  WAGGLE_RPC_URL: 'https://rpc.example,https://two.example',
}
const filled: Record<string, string> = { METRICS_PORT: '9464', ANNOUNCE: '/dns4/boot.example/tcp/4001' }

function readUnit(name: string) {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n')
  const values = (key: string) =>
    lines.filter(line => line.startsWith(`${key}=`)).map(line => line.slice(key.length + 1))
  const variables = values('Environment').flatMap(line =>
    line.split(' ').map(one => one.split('=') as [string, string]),
  )
  const command = (values('ExecStart')[0] ?? '').replaceAll(/\$\{(\w+)\}/g, (_, variable) => filled[variable] ?? '')
  const [program = '', ...argv] = command.replaceAll('%i', 'one').split(' ')
  return { lines, values, environment: Object.fromEntries(variables), program, argv }
}

const optionOf = (argv: string[], name: string) => argv[argv.indexOf(name) + 1]
const units = readdirSync(folder)

test('there is a unit for a peer, a bootnode, the index and the dashboard', () => {
  const names = ['waggle-bootnode.service', 'waggle-dashboard.service', 'waggle-index.service', 'waggle@.service']
  expect(units.toSorted()).toEqual(names)
})

test.each(units)('%s has sections and directives of systemd, and names files that exist', name => {
  const { lines, values, program, argv } = readUnit(name)
  const written = lines.filter(line => line !== '' && !line.startsWith('#'))
  for (const line of written)
    expect(line).toMatch(/^(\[(Unit|Service|Install)\]|CapabilityBoundingSet=|[A-Z][A-Za-z]+=\S.*)$/)
  expect(written.filter(line => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]'])
  expect([values('User'), values('WorkingDirectory')]).toEqual([['waggle'], ['/opt/waggle']])
  const documented = values('Documentation').map(url => url.replace('file://', ''))
  const scripts = argv.filter(word => /^(indexer|node_modules)\//.test(word)).map(path => INSTALLED + path)
  for (const path of [program, ...documented, ...scripts]) {
    expect(path.startsWith(INSTALLED)).toBe(true)
    expect(existsSync(join(root, path.slice(INSTALLED.length))), path).toBe(true)
  }
})

test("a peer's folder is made with the unit's folder of models, which its waggle.yaml then names", () => {
  const { WAGGLE_MODELS } = readUnit('waggle@.service').environment
  const named = ['deployments/systemd/waggle@.service', 'docs/guides/operate-a-peer.md'].map(
    path => / join .* --models (\S+)/.exec(readFileSync(join(root, path), 'utf8'))?.[1],
  )
  expect(named).toEqual([WAGGLE_MODELS, WAGGLE_MODELS])
})

/** Permissions that no unit needs. `systemd-analyze security --offline=true` rates each. */
const CLOSED = {
  CapabilityBoundingSet: [''],
  LockPersonality: ['yes'],
  NoNewPrivileges: ['yes'],
  PrivateTmp: ['yes'],
  ProtectControlGroups: ['yes'],
  ProtectHome: ['yes'],
  ProtectHostname: ['yes'],
  ProtectKernelLogs: ['yes'],
  ProtectKernelModules: ['yes'],
  ProtectKernelTunables: ['yes'],
  ProtectProc: ['invisible'],
  ProtectSystem: ['strict'],
  RemoveIPC: ['yes'],
  RestrictAddressFamilies: ['AF_INET AF_INET6 AF_NETLINK AF_UNIX'],
  RestrictNamespaces: ['yes'],
  RestrictRealtime: ['yes'],
  RestrictSUIDSGID: ['yes'],
  SystemCallArchitectures: ['native'],
  SystemCallErrorNumber: ['EPERM'],
  SystemCallFilter: ['@system-service', '~@privileged'],
}

test.each(units)('%s may do no more than it needs, and still compile code and reach a GPU', name => {
  const { values } = readUnit(name)
  for (const [key, closed] of Object.entries(CLOSED)) expect(values(key), key).toEqual(closed)
  expect(values('MemoryDenyWriteExecute')).toEqual([])
  const ofDevices = ['PrivateDevices', 'ProtectClock'].map(values)
  expect(ofDevices).toEqual(name === 'waggle@.service' ? [[], []] : [['yes'], ['yes']])
})

test.each([
  ['waggle@.service', { data: '/var/lib/waggle/one', 'metrics-port': '9464' }],
  ['waggle-bootnode.service', { data: '/var/lib/waggle/bootnode', announce: ['/dns4/boot.example/tcp/4001'] }],
])('%s calls a command with options that it takes, in its own folder', async (name, options) => {
  const { values, argv } = readUnit(name)
  const [verb = '', ...rest] = argv
  const command = await verbs[verb]?.load()
  if (command === undefined) throw new Error(`no command ${verb}`)
  expect(parseCommand(verb, command, rest).values).toMatchObject(options)
  expect(`/var/lib/${values('StateDirectory')[0]?.replace('%i', 'one')}`).toBe(options.data)
})

test('the index keeps its folder where it may write, and the dashboard asks it and a gateway at their ports', () => {
  const index = readUnit('waggle-index.service')
  const { indexFolder, deploymentPath } = readIndexer({ ...index.environment, ...swarm })
  expect([indexFolder, deploymentPath]).toEqual([
    `/var/lib/${index.values('StateDirectory')[0]}`,
    swarm.WAGGLE_DEPLOYMENT,
  ])

  const dashboard = readUnit('waggle-dashboard.service')
  for (const [name, value] of Object.entries({ ...dashboard.environment, ...swarm })) vi.stubEnv(name, value)
  const { indexerUrl, gatewayUrl, rpcUrls } = readDashboard()
  vi.unstubAllEnvs()
  expect(rpcUrls).toEqual(swarm.WAGGLE_RPC_URL.split(','))
  expect(indexerUrl).toBe(`http://${optionOf(index.argv, '--host')}:${optionOf(index.argv, '--port')}`)
  expect(gatewayUrl).toBe(`http://127.0.0.1:${roleSettings.http.parse(undefined)}`)
})
