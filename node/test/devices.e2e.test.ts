import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { softwareAdapter } from '#engine/devices/softwareAdapter.ts'
import { callCli } from './callCli.ts'
import { runCli } from './cliProcess.ts'

const model = join(import.meta.dirname, '../model/src/model/golden/decoders/qwen2')
/** Commands that open drivers and time kernels: a few seconds on an idle machine. */
const timeout = 240_000
const software = softwareAdapter(Boolean(process.env.CI))
/** A machine without an adapter skips, as `softwareAdapter` says; with `CI` it has thrown. */
const skip = software === null
/** The JSON lines of each child, by its name. */
const printed: Record<string, string[]> = {}

beforeAll(async () => {
  if (software === null) return
  const env = { ...process.env, ...software }
  const argv = [join(import.meta.dirname, 'devices/allChildren.ts'), 'webgpu', model]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env })
  let lines: string[] = []
  for (const line of stdout.trim().split('\n'))
    if (line.startsWith('{')) lines.push(line)
    else {
      lines = []
      printed[line] = lines
    }
}, 4 * timeout)

/** Output of a child. */
const outcomesOf = (child: string) => (printed[child] ?? []).map(line => JSON.parse(line))
const difference = (a: number[], b: number[]) => Math.max(...a.map((x, i) => Math.abs(x - (b[i] ?? Number.NaN))))

test('the WebGPU flavour generates and scores as the CPU does, and as transformers, on a software adapter', {
  timeout,
  skip,
}, async () => {
  const [{ cpu, webgpu, int8, shortage, after, float16, given }] = outcomesOf('deviceChild')
  // Too large for the device is a shortage of memory, after which less is done.
  expect({ shortage, after }).toEqual({ shortage: 'ENGINE_MEMORY', after: 200 })
  // An output is what it is called, whatever was asked for before.
  const [twice, thrice, five] = [
    [2, 4],
    [3, 6],
    [5, 10],
  ]
  expect(given).toEqual([{ thrice }, { five }, { twice, five }, { twice, thrice, five }, { five }])
  // An op that it cannot compute is refused, and the device does not count as lost.
  expect(float16).toEqual(['ENGINE_SESSION', 'webgpu here does not compute in float16'])
  expect(webgpu.tokens).toEqual(cpu.tokens)
  expect(difference(webgpu.logprobs, cpu.logprobs)).toBeLessThan(1e-4)
  expect(difference(webgpu.scores, cpu.scores)).toBeLessThan(1e-4)
  expect(int8.webgpu.tokens).toEqual(int8.cpu.tokens)
  expect(difference(int8.webgpu.logprobs, int8.cpu.logprobs)).toBeLessThan(1e-4)

  const { prompt, tokens, logprobs } = JSON.parse(readFileSync(join(model, 'golden.json'), 'utf8')).greedy[1]
  const flags = ['--device', 'webgpu', '--greedy', '--max-new-tokens', String(tokens.length), '--json']
  const argv = ['model', 'generate', '--model', model, '--tokens', prompt.join(), ...flags]
  const { code, stdout, stderr } = await runCli(argv, software ?? {})
  expect(code, stderr).toBe(0)
  const generated = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(generated.tokens).toEqual(tokens)
  expect(difference(generated.logprobs, logprobs)).toBeLessThan(1e-4)
})

test('keys and values that stay on a device are those of a cache on the CPU, whatever rows come and go', {
  timeout,
  skip,
}, async () => {
  const cases = outcomesOf('deviceCacheChild')
  expect(cases.map(({ rows }) => rows)).toEqual([66, 4])
  for (const { heads, other, apart } of cases) {
    expect({ heads, other }).toEqual({ heads, other: 0 })
    expect(apart).toBeLessThan(1e-4)
  }
  expect(cases[0].shortest).toBeLessThan(cases[0].longest)
})

test('waggle devices says what there is, what it would take, and why not another', { timeout }, async () => {
  const { code, stdout } = await callCli(['devices', '--json'])
  expect(code).toBe(0)
  const { machine, devices, chosen, pool, integerKernels } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(machine).toMatchObject({ cores: expect.any(Number), memoryBytes: expect.any(Number), gpus: expect.any(Array) })
  expect(devices.map(({ device }: { device: string }) => device)).toEqual(['cpu', 'webgpu', 'cuda'])
  for (const { isAvailable, reason } of devices) expect(isAvailable ? reason === null : reason.length > 10).toBe(true)
  expect(devices.find(({ device }: { device: string }) => device === chosen)).toMatchObject({ isAvailable: true })
  expect(['small', 'large']).toContain(pool)
  expect(integerKernels).toContainEqual(expect.objectContaining({ shape: [4864, 896], isFused: expect.any(Boolean) }))
  expect(await callCli(['devices', '--model', model])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('cpu'),
  })
})

test('a GRPO step on WebGPU moves what it trains as on the CPU, all weights and adapters', {
  timeout,
  skip,
}, async () => {
  const steps = outcomesOf('deviceTrainingChild')
  expect(steps).toHaveLength(4)
  for (const { kind, gradientNorm, difference } of steps) {
    // On int8 the CPU rounds the probabilities that rows of the output layer are summed by, and WebGPU does not.
    const tolerance = kind.includes('int8') ? 0.03 : 1e-5
    expect(gradientNorm, kind).toBeGreaterThan(0.01)
    expect(difference.loss, kind).toBeLessThan(1e-6)
    expect(difference.gradientNorm, kind).toBeLessThan(tolerance)
    expect(difference.moves, kind).toBeLessThan(tolerance)
  }
})

test('AdamW on WebGPU is that of the CPU, and no weight, moment or gradient crosses in a step', {
  timeout,
  skip,
}, async () => {
  const [{ apart, refused, isResumed, adapter, integers, whole, generated, nucleus }] = outcomesOf('deviceLearnerChild')
  for (const distance of Object.values(apart)) expect(distance).toBeLessThan(1e-6)
  expect(refused).toContain('the loss is NaN')
  expect(isResumed).toBe(true)
  // Token ids, rotary tables and rewards of 256 padded rows go there, the loss and a number for each trained tensor come back.
  // Over 8 bits embedded tokens go there too, 256 rows of 64 bytes; codes of the layer would be 5 kB more.
  expect(integers.to).toBeLessThan(20_000)
  expect(integers.from).toBeLessThan(300)
  for (const { to, from, trained } of [adapter, whole]) {
    expect(to).toBeLessThan(trained)
    expect(from).toBeLessThan(300)
  }
  expect(generated).toBeLessThan(1e-5)
  // Six tokens of 8,320: 1,024 candidates of 12 bytes each, and all probabilities where the nucleus is larger than these.
  for (const { cpu, webgpu } of Object.values<{ cpu: number[]; webgpu: number[] }>(nucleus)) expect(webgpu).toEqual(cpu)
  const likely = 6 * (12 * 1024 + 4)
  expect([nucleus.small.bytes, nucleus.large.bytes]).toEqual([likely, likely + 6 * 4 * 8320])
  // Without a nucleus the probabilities of rivals come back: of 8 tokens a draw on average if all are alike.
  expect(nucleus.none.bytes).toBeGreaterThan(likely)
  expect(nucleus.none.bytes).toBeLessThan(likely + 6 * 4 * 80)
  expect(nucleus.peaked.bytes).toBeLessThan(likely + 6 * 4 * 8)
})

test('a step that fails leaves nothing on the device, whichever of its runs fails', { timeout, skip }, async () => {
  expect(outcomesOf('deviceLeaksChild')).toEqual([{ failed: 17, leaks: [] }])
})

/** Ops that WebGPU leaves to the CPU: lengths, token ids, and the rows of those ids in tables of bytes. */
const lengths = ['Cast', 'Concat', 'Mul', 'Reshape', 'Shape', 'Squeeze', 'Unsqueeze']
const rowsOfBytes = ['Gather', 'Transpose']
const onCpu: readonly [programs: RegExp, ops: readonly string[]][] = [
  [/^adapter on int8: output layer$/, [...lengths, ...rowsOfBytes, 'Clip', 'Equal']],
  [/, int[48]$/, [...lengths, ...rowsOfBytes]],
  [/./, lengths],
]

test('no product, norm, softmax or other work on activations falls from WebGPU to the CPU', {
  timeout,
  skip,
}, async () => {
  const { code, stdout, stderr } = await runCli(['devices', '--model', model, '--json'], software ?? {})
  expect(code, stderr).toBe(0)
  const { placements, devices } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const ofWebgpu = placements.filter(({ device }: { device: string }) => device === 'webgpu')
  expect(ofWebgpu).toHaveLength(25)
  expect(devices.find(({ device }: { device: string }) => device === 'webgpu')).toMatchObject({
    float16Reason: expect.stringContaining('shader-f16'),
    adapter: { name: expect.stringContaining('SwiftShader'), isSoftware: true },
  })
  for (const { program, ...found } of ofWebgpu) {
    const allowed = onCpu.find(([programs]) => programs.test(program))?.[1] ?? []
    expect(
      Object.keys(found.onCpu).filter(op => !allowed.includes(op)),
      program,
    ).toEqual([])
    expect(
      Object.values<number>(found.onDevice).reduce((a, b) => a + b),
      program,
    ).toBeGreaterThan(program.startsWith('AdamW') ? 14 : 40)
  }
})
