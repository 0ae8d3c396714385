import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { endLeftovers, forgetRuns, startOf } from './leftovers.ts'
import { Supervisor } from './supervisor.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-supervisor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const notes = join(folder, 'processes.json')
const forever = ['-e', 'setInterval(() => {}, 1000)']

test('ends what a killed swarm left running, and nothing else', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  const orphan = await supervisor.start({ name: 'orphan', command: process.execPath, argv: forever })
  expect(await endLeftovers(notes)).toEqual(['orphan'])
  expect(await orphan.exited).toBe('SIGTERM')
})

test('a leftover that outlives its grace, and a swarm that is stopped meanwhile, is gone when the next one resumes', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  const ready = join(folder, 'ready')
  const program = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)
    globalThis.held = Buffer.alloc(2 ** 28, 1); require('fs').writeFileSync(${JSON.stringify(ready)}, '')`
  const stubborn = await supervisor.start({ name: 'peer', command: process.execPath, argv: ['-e', program] })
  await vi.waitFor(() => readFileSync(ready), { timeout: 20_000 })
  const stop = new AbortController()
  const say = (line: string) => stop.abort(new Error(line))
  await expect(endLeftovers(notes, { say, signal: stop.signal })).rejects.toThrow('left running: peer …')
  expect(startOf(stubborn.pid)).toBeDefined()
  expect(await endLeftovers(notes, { graceMs: 50 })).toEqual(['peer'])
  expect(startOf(stubborn.pid)).toBeUndefined()
  expect(await stubborn.exited).toBe('SIGKILL')
})

test('leftovers end as a swarm stops: peers before their chain', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  const ended: string[] = []
  const start = async (name: string) => {
    const { exited } = await supervisor.start({ name, command: process.execPath, argv: forever })
    return { noted: exited.then(() => ended.push(name)) }
  }
  const both = [await start('chain'), await start('peer-a')]
  await endLeftovers(notes)
  await Promise.all(both.map(({ noted }) => noted))
  expect(ended).toEqual(['peer-a', 'chain'])
})

test('an ended process whose parent does not notice is gone', { skip: process.platform !== 'linux' }, async () => {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number((await once(parent.stdout, 'data'))[0])
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  const stat = (of: number | undefined) => readFileSync(`/proc/${of}/stat`, 'utf8')
  // A shell would still collect its child: the child ends once the shell has become `sleep`.
  await vi.waitFor(() => expect(stat(parent.pid)).toContain('(sleep)'), { timeout: 20_000 })
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(stat(pid)).toContain(') Z '), { timeout: 20_000 })
  expect(startOf(pid)).toBeUndefined()
})

test('a process that only has the id of an old one is left alone', async () => {
  writeFileSync(notes, JSON.stringify([{ name: 'old', pid: process.pid, startedAt: '1' }]))
  expect(await endLeftovers(notes)).toEqual([])
})

test('a swarm whose folder cannot be written keeps its processes, and a cut record ends none', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), join(folder, 'gone', 'processes.json'))
  const kept = await supervisor.start({ name: 'kept', command: process.execPath, argv: forever })
  await supervisor.stopAll(['kept'])
  expect(await kept.exited).toBe('SIGTERM')
  writeFileSync(notes, '[{"name":"cut')
  expect(await endLeftovers(notes)).toEqual([])
})

test.each(['linux', 'darwin'])('the start time of a process does not change, and is read as on %s', platform => {
  expect(startOf(process.pid, platform)).toMatch(/\d/)
  expect(startOf(process.pid, platform)).toBe(startOf(process.pid, platform))
  expect(startOf(2 ** 22 + 1, platform)).toBeUndefined()
})

test('stops processes in the order asked for', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  const ended: string[] = []
  const start = async (name: string) => {
    const process_ = await supervisor.start({ name, command: process.execPath, argv: forever })
    void process_.exited.then(() => ended.push(name))
  }
  for (const name of ['chain', 'peer-a']) await start(name)
  await supervisor.stopAll(['peer-', 'chain'])
  expect(ended).toEqual(['peer-a', 'chain'])
})

test('tells of a process that ends unasked', async () => {
  const supervisor = new Supervisor(join(folder, 'logs'), notes)
  const status = await new Promise(resolve => {
    void supervisor.start({ name: 'short', command: process.execPath, argv: ['-e', 'process.exit(7)'] }, resolve)
  })
  expect(status).toBe(7)
})

test('notes that a power cut damaged are none, and no group of the system is signalled', async () => {
  const everybody = JSON.stringify([{ name: 'all', pid: 1, startedAt: startOf(1) }])
  for (const damaged of ['', '[{"na', 'null', everybody]) {
    writeFileSync(notes, damaged)
    expect(await endLeftovers(notes)).toEqual([])
  }
})

function folderWith(names: string[]): string {
  const made = mkdtempSync(join(tmpdir(), 'waggle-forget-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  for (const name of names) name.includes('.') ? writeFileSync(join(made, name), '') : mkdirSync(join(made, name))
  return made
}

test('only leftovers of runs are removed', async () => {
  const data = folderWith(['processes.json', 'peers', 'chain', 'deployment.json', 'notes.txt'])
  await forgetRuns(data)
  expect(readdirSync(data).sort()).toEqual(['notes.txt', 'processes.json'])
})
