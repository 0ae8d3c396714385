import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { softwareAdapter } from '../../../node/model/src/engine/devices/softwareAdapter.ts'
import { openBench } from '../../measure/bench.ts'
import { type BareMachine, bareMachine } from './bareMachine.ts'
import { packKit } from './pack.ts'

const repository = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
let work = ''
let kit = ''
let machine: BareMachine
let canUnshare = false

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-kit-test-'))
  kit = join(work, 'kit')
  // Refuses more than 45 MB.
  await packKit(repository, kit, openBench(repository, true))
  machine = await bareMachine(join(work, 'machine'))
  canUnshare = await run('unshare', ['-rn', 'true']).then(
    () => true,
    () => false,
  )
})
afterAll(() => rm(work, { recursive: true, force: true }))

test("a packed kit has Vulkan's libraries and TRL", async () => {
  const { stdout } = await run('tar', ['-tf', join(kit, 'code.tar.xz')], { maxBuffer: 1 << 26 })
  for (const library of ['vulkan.so.1', 'X11.so.6', 'Xext.so.6', 'bsd.so.0', 'EGL.so.1', 'GLdispatch.so.0'])
    expect(stdout).toContain(`./vulkan/usr/lib/x86_64-linux-gnu/lib${library}\n`)
  for (const name of ['trl/__init__', 'datasets/__init__', 'dill/__init__', 'multiprocess/__init__', 'xxhash'])
    expect(stdout).toContain(`./code/site/${name}.py\n`)
})

const software = softwareAdapter(Boolean(process.env.CI))

test.skipIf(software === null)('a packed kit measures every row in software, without network', async () => {
  // The kit brings the loader.
  const env = { VK_ICD_FILENAMES: software?.VK_ICD_FILENAMES as string }
  const before = canUnshare ? ['/usr/bin/unshare', '-rn'] : []
  const { status, said } = await machine.start(kit, { argv: ['--tiny'], env, before }).ended
  expect({ status, said }).toMatchObject({ status: 0, said: expect.stringContaining('wrote ') })
  const rows = await machine.rows()
  for (const { conditions } of rows) expect(conditions).toMatch(/^a tiny model, SwiftShader Device .* by webgpu: /)
  const withValue = rows.filter(({ value }) => value !== null).map(({ name }) => name)
  expect(withValue).toEqual(['gpu-logprob-error', 'gpu-decode-error', 'gpu-gradient-error', 'gpu-against-cpu'])
  for (const { name, ok } of rows) if (name.endsWith('-error')) expect({ name, ok }).toEqual({ name, ok: true })
  for (const { value, conditions } of rows)
    if (value === null) expect(conditions).toMatch(/; no comparison: .*python3 is not installed$/)
})
