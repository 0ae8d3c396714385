import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runCli } from './cliProcess.ts'

const child = join(import.meta.dirname, 'deviceChild.ts')
const model = join(import.meta.dirname, '../src/model/golden/decoders/qwen2')
/** SwiftShader, a Vulkan device in software, and a Vulkan loader: Debian's chromium-common has both. */
const folder = '/usr/lib/chromium'
const software = { LD_LIBRARY_PATH: folder, VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json') }
/** Three processes, one after another, that open drivers and time kernels: a few seconds on an idle machine. */
const timeout = 240_000
const difference = (a: number[], b: number[]) => Math.max(...a.map((x, i) => Math.abs(x - (b[i] ?? Number.NaN))))

test('the WebGPU flavour generates and scores as the CPU does, and as transformers, on a software adapter', {
  timeout,
}, async () => {
  if (!existsSync(software.VK_ICD_FILENAMES)) {
    if (process.env.CI) throw new Error('no SwiftShader: run "apt-get install chromium"')
    console.warn('ran without WebGPU: there is no software adapter on this machine')
    return
  }
  // In processes of their own: what a driver does wrong must not take the tests with it.
  const env = { ...process.env, ...software }
  const { cpu, webgpu } = JSON.parse((await promisify(execFile)(process.execPath, [child, model], { env })).stdout)
  expect(webgpu.tokens).toEqual(cpu.tokens)
  expect(difference(webgpu.logprobs, cpu.logprobs)).toBeLessThan(1e-4)
  expect(difference(webgpu.scores, cpu.scores)).toBeLessThan(1e-4)

  const { prompt, tokens, logprobs } = JSON.parse(readFileSync(join(model, 'golden.json'), 'utf8')).greedy[1]
  const flags = ['--device', 'webgpu', '--greedy', '--max-new-tokens', String(tokens.length), '--json']
  const argv = ['model', 'generate', '--model', model, '--tokens', prompt.join(), ...flags]
  const { code, stdout, stderr } = await runCli(argv, software)
  expect(code, stderr).toBe(0)
  const generated = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(generated.tokens).toEqual(tokens)
  expect(difference(generated.logprobs, logprobs)).toBeLessThan(1e-4)
})

test('waggle devices says what there is, what it would take, and why not another', { timeout }, async () => {
  const { code, stdout } = await runCli(['devices', '--json'])
  expect(code).toBe(0)
  const { machine, devices, chosen, pool, integerKernels } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(machine).toMatchObject({ cores: expect.any(Number), memoryBytes: expect.any(Number), gpus: expect.any(Array) })
  expect(devices.map(({ device }: { device: string }) => device)).toEqual(['cpu', 'webgpu', 'cuda'])
  for (const { isAvailable, reason } of devices) expect(isAvailable ? reason === null : reason.length > 10).toBe(true)
  expect(devices.find(({ device }: { device: string }) => device === chosen)).toMatchObject({ isAvailable: true })
  expect(['small', 'large']).toContain(pool)
  expect(integerKernels).toContainEqual(expect.objectContaining({ shape: [4864, 896], isFused: expect.any(Boolean) }))
  expect(await runCli(['devices'])).toMatchObject({ code: 0, stdout: expect.stringContaining('cpu') })
})
