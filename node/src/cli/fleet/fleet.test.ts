import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { presets } from '#environments/builtIn.ts'
import { judgedByChatModel } from '#environments/codezero/testSpec.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { small } from '#environments/reasoning/kind.ts'
import { reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { fleet } from '../commands/fleet.ts'
import { fleetPeers } from './fleetPeers.ts'
import { type FleetOptions, runFleet } from './runFleet.ts'

const RELAY = '12D3KooWGzxzKZYveHXtpG6AsrUJBcWxHBFS2HsEoGTxrXvvLXtp'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waggle-fleet-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function peer(name: string, settings: string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'waggle.yaml'), settings)
}

const asked = { gpus: [], metricsPort: undefined, main: 'main.ts', warn: () => {} }

const hash = `0x${'11'.repeat(32)}`
/** Rules without a judge model. */
const reasoning = reasoningSpecSchema.parse({
  ...small,
  bases: null,
  prompts: { format: 'chat', tokenizerHash: hash, vocabSize: 448, solver: 'Solve it.', examples: [] },
})

/** Settings of a peer of chat models. */
function ofChat(role: string, more = '', spec: EnvironmentSpec = presets.starter): string {
  const file = join(folder, `${spec.name}-${spec.preset}.json`)
  writeFileSync(file, JSON.stringify(spec))
  return `role: ${role}\nenvironment: ${file}\nmodel: some/model\n${more}`
}

test('every folder with settings is a peer, with its own GPU and the next port', async () => {
  peer('one', 'role: solver\ndevice: cuda\n')
  peer('two', ofChat('solver'))
  peer('gate', 'role: gateway\ndevice: cpu\n')
  mkdirSync(join(folder, 'not a peer'))
  const peers = await fleetPeers(folder, { ...asked, gpus: ['0', '3'], metricsPort: 9464 })
  const started = (name: string, port: number, options: string[] = []) => [
    ...['main.ts', 'start', '--data', join(folder, name)],
    ...options,
    ...['--metrics-port', `${port}`],
  ]
  // Named, so that a peer without CUDA does not start instead of sharing the first GPU by WebGPU.
  const cuda = ['--device', 'cuda']
  expect(peers).toEqual([
    { name: 'gate', argv: started('gate', 9464), env: {} },
    { name: 'one', argv: started('one', 9465, cuda), env: { CUDA_VISIBLE_DEVICES: '0' } },
    { name: 'two', argv: started('two', 9466, cuda), env: { CUDA_VISIBLE_DEVICES: '3' } },
  ])
})

test('GPUs go to the peers that run a model on one, and a lack or an excess of them is told', async () => {
  peer('a', ofChat('solver', 'generate: http://127.0.0.1:8000/v1#m\n'))
  peer('b', 'role: gateway\n')
  peer('c', ofChat('judge', 'device: cuda\n'))
  peer('d', 'role: solver\n') // the starter model
  peer('e', ofChat('evaluator', 'judge: some/judge\n'))
  peer('f', ofChat('evaluator', 'judge: http://127.0.0.1:8000/v1#m\n', judgedByChatModel))
  peer('g', ofChat('auditor', '', reasoning)) // no model judges
  peer('h', ofChat('proposer', 'proposer: http://127.0.0.1:8000/v1#m\n'))
  peer('i', ofChat('proposer', 'dataset: tasks.jsonl\n'))
  peer('j', ofChat('proposer', 'dataset: tasks.jsonl\ndataset-share: 0.5\n'))
  peer('k', ofChat('solver', 'device: cpu\n'))
  peer('l', 'role: evaluator\ndevice: cuda\n')
  const warnings: string[] = []
  const warn = (line: string) => void warnings.push(line)
  const given = async (gpus: string[]) => {
    const peers = await fleetPeers(folder, { ...asked, gpus, warn })
    return Object.fromEntries(
      peers.flatMap(({ name, env }) => (env.CUDA_VISIBLE_DEVICES ? [[name, env.CUDA_VISIBLE_DEVICES]] : [])),
    )
  }
  expect(await given(['0', '1', '2', '3'])).toEqual({ a: '0', e: '1', j: '2', l: '3' })
  expect(warnings).toEqual([])
  expect(await given(['0', '1'])).toEqual({ a: '0', e: '1', j: '0', l: '1' })
  expect(await given(['0', '1', '2', '3', '4'])).toMatchObject({ l: '3' })
  expect(warnings).toEqual([
    '4 peers share 2 GPUs, and each needs memory for its own models: a, e, j, l',
    '1 of 5 GPUs stay idle; peers that run a model on a GPU: a, e, j, l',
  ])
})

test('settings that exclude each other are refused before anything starts', async () => {
  const refused = (message: string, gpus: string[] = []) =>
    expect(fleetPeers(folder, { ...asked, gpus })).rejects.toThrow(message)
  await refused("contains no peer's folder")
  await expect(fleetPeers(join(folder, 'nowhere'), asked)).rejects.toThrow("contains no peer's folder")
  peer('a', 'role: gateway\n')
  peer('b', 'role: gateway\n')
  await refused('a and b both need TCP port 3001.')
  writeFileSync(join(folder, 'b', 'waggle.yaml'), 'network: local\n')
  await refused('names no role')
  writeFileSync(join(folder, 'b', 'waggle.yaml'), 'role: solver\ndevice: webgpu\n')
  await refused('b runs on webgpu', ['0'])
  writeFileSync(join(folder, 'b', 'waggle.yaml'), 'role: evaluator\nenvironment: none.json\n')
  await refused('none.json', ['0'])
  writeFileSync(join(folder, 'b', 'waggle.yaml'), ofChat('evaluator', 'judge: http://127.0.0.1:8000/v1#m\n'))
  await refused("The judge of the environment 'starter' comes with the code.", ['0'])
  writeFileSync(join(folder, 'b', 'waggle.yaml'), 'rolle: solver\n')
  await refused('rolle')
})

test('GPUs are named by number, or by the ids of whole ones and of MIG', async () => {
  const run = (gpus: string) => fleet.run({ gpus }, [folder])
  for (const gpus of ['0,1', `GPU-${randomUUID()}`, `MIG-${randomUUID()},MIG-${randomUUID()}`])
    await expect(run(gpus)).rejects.toThrow("contains no peer's folder")
  for (const gpus of ['0,0', 'H200', 'MIG-']) await expect(run(gpus)).rejects.toThrow('as nvidia-smi -L prints them')
})

test('a copy of a peer, and two peers on one port, are refused', async () => {
  const refused = (message: string) => expect(fleetPeers(folder, asked)).rejects.toThrow(message)
  peer('one', 'role: solver\nlisten:\n  - /ip4/0.0.0.0/tcp/4001\n')
  writeFileSync(join(folder, 'one', 'peer.key'), 'a key')
  cpSync(join(folder, 'one'), join(folder, 'one-before-update'), { recursive: true })
  await refused('one and one-before-update both have the key of one peer, in peer.key.')
  writeFileSync(join(folder, 'one-before-update', 'peer.key'), 'another')
  await refused('one and one-before-update both need TCP port 4001.')
  writeFileSync(join(folder, 'one-before-update', 'waggle.yaml'), 'role: solver\n')
  peer('two', 'role: solver\n') // both listen on a free port
  expect(await fleetPeers(folder, asked)).toHaveLength(3)
})

test('a port is needed once by whatever serves at it, unless it is one of two addresses', async () => {
  const refused = (port: number, metricsPort?: number) =>
    expect(fleetPeers(folder, { ...asked, metricsPort })).rejects.toThrow(`a and b both need TCP port ${port}.`)
  const settings = (a: string, b: string) => {
    writeFileSync(join(folder, 'a', 'waggle.yaml'), `role: solver\n${a}`)
    writeFileSync(join(folder, 'b', 'waggle.yaml'), `role: gateway\n${b}`)
  }
  const at = (address: string) => `listen:\n  - ${address}\n`
  const listening = (host: string) => at(`/ip4/${host}/tcp/4001`)
  peer('a', '')
  peer('b', '')
  settings('metrics-port: 9464\n', 'metrics-port: "9464"\n')
  await refused(9464)
  expect(await fleetPeers(folder, { ...asked, metricsPort: 9500 })).toHaveLength(2)
  settings(listening('0.0.0.0'), listening('127.0.0.1'))
  await refused(4001)
  settings(listening('203.0.113.1'), listening('203.0.113.2'))
  expect(await fleetPeers(folder, asked)).toHaveLength(2)
  // libp2p listens at IPv6 alone.
  settings(listening('0.0.0.0'), at('/ip6/::/tcp/4001'))
  expect(await fleetPeers(folder, asked)).toHaveLength(2)
  settings(at('/ip6/::1/tcp/4001'), at('/ip6/::/tcp/4001'))
  await refused(4001)
  settings('metrics-port: 9464\n', "bind: '::'\nhttp: 9464\n")
  await refused(9464)
  // The port is the relay's.
  const relayed = at(`/ip4/203.0.113.9/tcp/4001/p2p/${RELAY}/p2p-circuit`)
  for (const other of [relayed, listening('0.0.0.0')]) {
    settings(relayed, other)
    expect(await fleetPeers(folder, asked)).toHaveLength(2)
  }
  settings('', '')
  await refused(3001, 3001)
  await expect(fleetPeers(folder, { ...asked, metricsPort: 65_535 })).rejects.toThrow('has port 65536')
})

/** A fleet of scripts, and what was told of it. */
function fleetOf(scripts: Readonly<Record<string, string>>, onLine: (told: string[]) => void = () => {}) {
  const told: string[] = []
  const stop = new AbortController()
  const clock = createManualClock()
  const tell = (name: string, line: string) => {
    told.push(`${name}: ${line}`)
    onLine(told)
  }
  const options: FleetOptions = { program: process.execPath, clock, signal: stop.signal, tell }
  const peers = Object.entries(scripts).map(([name, script]) => ({ name, argv: ['-e', script], env: { PEER: name } }))
  return { told, stop, clock, ended: runFleet(peers, options) }
}

test('a peer that fails is started again, later each time; one that was called wrongly is not', async () => {
  const { told, stop, clock, ended } = fleetOf(
    { ill: 'console.log("up"); process.exit(1)', wrong: 'console.error("no such model"); process.exit(64)' },
    lines => {
      const ups = lines.filter(line => line.includes('starts again')).length
      const hasEnded = lines.some(line => line.startsWith('wrong: does not start'))
      if (ups === 3 && hasEnded) stop.abort()
      // The fleet sleeps once this line is told.
      else if (ups < 3 && lines.at(-1)?.includes('starts again'))
        setImmediate(() => clock.advance(5_000 * 2 ** (ups - 1)))
    },
  )
  expect(await ended).toEqual(['wrong'])
  expect(told.filter(line => line.startsWith('ill'))).toEqual(
    [5, 10, 20].flatMap(seconds => ['ill: up', `ill: ended with code 1; starts again in ${seconds} s`]),
  )
  expect(told.filter(line => line.startsWith('wrong'))).toEqual([
    'wrong: no such model',
    'wrong: does not start: correct the error that it printed, and start the fleet again',
  ])
})

test('stopping lets every peer end in good order', async () => {
  const script = `process.once('SIGTERM', () => { console.log(process.env.PEER + ' saved'); process.exit(0) })
    console.log('up'); setInterval(() => {}, 1000)`
  const fleet = fleetOf({ one: script, two: script }, lines => {
    if (lines.filter(line => line.endsWith('up')).length === 2) fleet.stop.abort()
  })
  expect(await fleet.ended).toEqual([])
  expect(fleet.told.slice(2).sort()).toEqual(['one: one saved', 'two: two saved'])
})
