import { execFile, spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { rows } from '../gpu.ts'
import { type BareMachine, bareMachine } from './bareMachine.ts'
import { archiveRuntime, writeKit } from './pack.ts'

const repository = join(import.meta.dirname, '../../..')
const names = rows.map(({ name }) => name)
const ended = 'the run ended before this row was measured'
let work = ''
let kit = ''
let machine: BareMachine
let results = ''

// As it is packed, but for what takes minutes or a registry: compression of the runtime, the Vulkan loader and wheels.
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-kit-test-'))
  const runtime = join(work, 'runtime.tar')
  await archiveRuntime(repository, runtime, '-cf')
  kit = join(work, 'kit')
  await writeKit(repository, kit, { runtime, addOthers: async () => {} })
  machine = await bareMachine(join(work, 'machine'))
  results = join(machine.folder, 'results/gpu.json')
})
afterAll(() => rm(work, { recursive: true, force: true }))

const reasons = async (path?: string) => [...new Set((await machine.rows(path)).map(({ conditions }) => conditions))]
const processes = async () => (await promisify(execFile)('ps', ['-eo', 'args'])).stdout

test('an interrupted run leaves the rows until then, no process and no file', async () => {
  const run = machine.start(kit, { argv: ['--tiny'], env: { OUT: 'results' } })
  await run.says('trying each device')
  run.process.kill('SIGTERM')
  const { status, said } = await run.ended
  expect(status).toBe(130)
  expect(said).toContain(`interrupted; ${results} has the rows until then`)
  expect((await machine.rows(results)).map(({ name }) => name)).toEqual(names)
  expect(await reasons(results)).toEqual([ended])
  expect(await readdir(join(work, 'machine/temporary'))).toEqual([])
  expect(await processes()).not.toContain(join(work, 'machine/temporary'))
})

test('its code is small and whole, and it runs where there is no Node, no Python and no GPU, over what an interrupted run left', async () => {
  const [archives, others] = [
    ['code.tar.xz', 'runtime.tar.xz'],
    ['SHA256SUMS', 'diagnose', 'run', 'unmeasured.json', 'xz'],
  ]
  expect((await readdir(kit)).sort()).toEqual([...archives, ...others].sort())
  expect((await stat(join(kit, 'code.tar.xz'))).size).toBeLessThan(1.5e6)

  // Settings for another Node.
  const env = { OUT: 'results', NODE_OPTIONS: '--require ./nothing.js' }
  const { status, said } = await machine.start(kit, { argv: ['--tiny'], env }).ended
  expect(said).toContain(`wrote ${results}`)
  expect(status).toBe(0)
  const measured = await machine.rows(results)
  expect(measured.map(({ name }) => name)).toEqual(names)
  for (const { value, conditions } of measured) {
    expect(value).toBeNull()
    expect(conditions).toMatch(/^there is no GPU on this machine\. .*webgpu: /)
  }
  expect(await readdir(join(work, 'machine/temporary'))).toEqual([])
  const diagnosis = await readFile(join(machine.folder, 'results/gpu.diagnosis.txt'), 'utf8')
  expect(diagnosis).toMatch(/== nvidia-smi -q\nnvidia-smi is not installed\n/)
  expect(diagnosis).toMatch(/\nMemAvailable: +\d+ kB\n/)
})

test('a benchmark that fails is refused: its status differs from that of a missed bar', async () => {
  const { status, said } = await machine.start(kit, { argv: ['--out', '/dev/null/gpu.json'] }).ended
  expect(status).toBe(2)
  expect(said).toContain(`the benchmark ended with status 1; ${machine.folder}/gpu.json has the rows until then`)
  expect(await reasons()).toEqual([ended])
})

test('a damaged archive is named in every row', async () => {
  const damaged = join(work, 'damaged')
  await cp(kit, damaged, { recursive: true })
  await truncate(join(damaged, 'code.tar.xz'), 1000)
  const { status, said } = await machine.start(damaged).ended
  expect(status).toBe(2)
  expect(said).toBe(
    `the kit is damaged, copy it again: code.tar.xz: FAILED; wrote ${join(machine.folder, 'gpu.json')}\n`,
  )
  expect((await machine.rows()).map(({ name }) => name)).toEqual(names)
  expect(await reasons()).toEqual(['the kit is damaged, copy it again: code.tar.xz: FAILED'])

  await truncate(join(damaged, 'unmeasured.json'), 10)
  expect((await machine.start(damaged).ended).said).toMatch(/ is not whole, copy it again: .*\n$/)
})

test('a diagnosis that hangs holds neither the reason nor the end of a run', async () => {
  const [damaged, programs] = [join(work, 'damaged-code'), join(work, 'programs')]
  await cp(kit, damaged, { recursive: true })
  await truncate(join(damaged, 'code.tar.xz'), 1000)
  await mkdir(programs)
  await writeFile(join(programs, 'nvidia-smi'), '#!/bin/bash\necho begun\nread -r <> <(:)\n', { mode: 0o755 })
  const run = machine.start(damaged, { env: { PATH: `${join(work, 'machine/bin')}:${programs}` } })
  const reason = 'the kit is damaged, copy it again: code.tar.xz: FAILED'
  await vi.waitUntil(async () => (await reasons().catch(() => []))[0] === reason, { timeout: 5000 })
  const { status, said } = await run.ended
  expect(status).toBe(2)
  expect(said).toContain(reason)
  expect(await readFile(join(machine.folder, 'gpu.diagnosis.txt'), 'utf8')).toMatch(/== nvidia-smi -q\nbegun\n$/)
  await vi.waitUntil(async () => !(await processes()).includes(programs), { timeout: 5000 })
})

test('a folder that takes nothing is named: for the result at once, and for the files in every row', async () => {
  const { said } = await machine.start(kit, { env: { TMPDIR: join(work, 'nowhere') } }).ended
  expect(said).toContain(`cannot make a folder in ${join(work, 'nowhere')}: name another by TMPDIR; wrote `)
  expect(await reasons()).toEqual([`cannot make a folder in ${join(work, 'nowhere')}: name another by TMPDIR`])

  const closed = join(work, 'closed')
  await mkdir(join(closed, 'gpu.json.part'), { recursive: true })
  await chmod(closed, 0o555)
  const { status, said: refused } = await machine.start(kit, { env: { OUT: closed } }).ended
  expect(status).toBe(2)
  expect(refused).toContain(`cannot write ${closed}/gpu.json: name another folder by OUT\n`)
})

test('a disk that fills while the kit is unpacked is the reason in every row', async () => {
  const mount = '/bin/mount -t tmpfs -o size=20m none "$TMPDIR" && exec "$@"'
  const before = ['/usr/bin/unshare', '-rm', '/bin/sh', '-c', mount, 'sh']
  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0
  const { status, said } = await machine.start(kit, canMount ? { before } : { env: { TMPDIR: '/dev/null' } }).ended
  expect(status).toBe(2)
  const reason = canMount
    ? /^cannot unpack runtime\.tar\.xz into .*: no space left; the run takes /
    : /^cannot make a folder /
  expect(said).toMatch(reason)
  for (const { value, conditions } of await machine.rows()) {
    expect(value).toBeNull()
    expect(conditions).toMatch(reason)
  }
})
