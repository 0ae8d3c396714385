import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { knownNetworks } from '../../deployments/networks.ts'
import { parseCommand } from '../../node/src/cli/parseCommand.ts'
import { verbs } from '../../node/src/cli/verbs.ts'
import { readDockerfile } from './readDockerfile.ts'

const folder = join(import.meta.dirname, '../../deployments/docker')
const stages = readDockerfile(readFileSync(join(folder, 'Dockerfile'), 'utf8'))

interface Service {
  profiles: string[]
  build?: { context: string; dockerfile: string; target: string }
  image?: string
  command?: string[]
  ports?: string[]
  volumes?: string[]
  environment?: Record<string, string> | string[]
  depends_on?: Record<string, unknown>
}
const compose = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const services = Object.entries(compose.services)

test.each(services)(
  '%s is built from a stage of the Dockerfile or is an image, with volumes and services that exist',
  (_, service) => {
    const { build, image, volumes = [], depends_on: needed = {}, profiles } = service
    expect(profiles).toHaveLength(1)
    if (build === undefined) expect(image).toMatch(/^\w+:\d+/)
    else {
      expect(readFileSync(join(folder, build.context, build.dockerfile), 'utf8')).toContain('FROM')
      expect(stages.map(({ name }) => name)).toContain(build.target)
    }
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
    for (const name of Object.keys(needed)) expect(compose.services[name]?.profiles).toEqual(profiles)
  },
)

test('swarm and index start as their scripts do, without npm, which would keep the signal to stop to itself', () => {
  const script = (path: string, name: string): string[] =>
    JSON.parse(readFileSync(join(folder, '../..', path), 'utf8')).scripts[name].split(' ')
  const swarm = stages.find(({ name }) => name === 'whole')?.instructions.find(({ name }) => name === 'CMD')?.words
  expect(swarm).toEqual(script('package.json', 'swarm'))
  const start = script('indexer/package.json', 'start').map(word => word.replace('start.ts', 'indexer/start.ts'))
  expect(compose.services.index?.command?.slice(0, start.length)).toEqual(start)
})

test('arguments of a peer are options of the command line, in the Dockerfile too', async () => {
  const command = await verbs.join?.load()
  if (command === undefined) throw new Error('no command join')
  const written = services.filter(([, { build }]) => build?.target === 'peer' || build?.target === 'gpu')
  const defaults = stages.find(({ name }) => name === 'peer')?.instructions.find(({ name }) => name === 'CMD')?.words
  const lines = [defaults, ...written.map(([, service]) => service.command)]
  expect(lines).toHaveLength(4)
  for (const [verb, ...argv] of lines.map(line => line ?? [])) {
    expect(verb).toBe('join')
    expect(parseCommand('join', command, argv).values).toMatchObject({
      data: '/data',
      listen: ['/ip4/0.0.0.0/tcp/4001'],
    })
  }
})

test('a peer in a container gets every secret that one outside reads from its environment', () => {
  const source = readFileSync(join(folder, '../../node/src/cli/environment.ts'), 'utf8')
  const variables = new Set([...source.matchAll(/read\('(\w+)'\)/g)].map(([, variable]) => variable))
  for (const { urlVariable } of Object.values(knownNetworks)) variables.add(urlVariable)
  // A container gets these by other means, or has no use for them: it keeps its models in its volume, and deploys nothing.
  for (const other of ['WAGGLE_DEPLOYMENT', 'WAGGLE_MODELS', 'WAGGLE_DEPLOYER_KEY', 'WAGGLE_PATIENCE'])
    expect(variables.delete(other), other).toBe(true)
  const peers = services.filter(([, { build }]) => build?.target === 'peer' || build?.target === 'gpu')
  for (const [, { environment }] of peers)
    expect((environment as string[]).toSorted()).toEqual([...variables].toSorted())
})

test('the HTTP ports of a peer are reached from this machine only', () => {
  const peers = services.filter(([, { build }]) => build?.target === 'peer' || build?.target === 'gpu')
  for (const [name, { command = [], ports = [] }] of peers) {
    expect(command).toContain('--metrics-bind=0.0.0.0')
    const served = name === 'gateway' ? ['3001', '9464'] : ['9464']
    const published = ports.filter(port => !port.endsWith(':4001'))
    expect(published.map(port => port.split(':').at(-1))).toEqual(served)
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/)
    if (name === 'gateway') expect(command).toContain('--bind=0.0.0.0')
  }
})

test('a peer and a gateway run side by side: no port of the machine is published twice', () => {
  const published = ['peer', 'gateway', 'index'].flatMap(name => compose.services[name]?.ports ?? [])
  const ports = published.map(port => /(\d+)\}?:\d+$/.exec(port)?.[1])
  expect(ports).not.toContain(undefined)
  expect(new Set(ports).size).toBe(ports.length)
})

test('a password of Postgres may have any characters: it is not part of a URL', () => {
  const { DATABASE_URL, PGPASSWORD } = (compose.services.index?.environment ?? {}) as Record<string, string>
  const { POSTGRES_PASSWORD } = (compose.services.postgres?.environment ?? {}) as Record<string, string>
  expect(DATABASE_URL).not.toContain('$')
  expect(PGPASSWORD).toBe(POSTGRES_PASSWORD)
})
