import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate, loadGenerator, loadModel, score } from '@waggle/model'
import { fromDevice } from '#engine/devices/toDevice.ts'
import type { SessionError } from '#engine/engineError.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { add, cast, scale, sumOver } from '#engine/tensor.ts'

// Generates and scores with the model of a folder, which argv names after the device, on the CPU and by WebGPU, and prints what came out as one JSON line.
const [, folder = ''] = process.argv.slice(2)
const outcomes: Record<string, object> = {}
for (const device of ['cpu', 'webgpu'] as const) {
  const model = await loadModel(folder, { device })
  // One fills whole strides of the cache, which is empty before it.
  const long = Int32Array.from({ length: 64 }, (_, i) => (i * 5 + 3) % 64)
  const prompts = [Int32Array.of(5, 9, 30, 17), Int32Array.of(2, 7), long]
  const completions = await generate(model, { prompts, samplesPerPrompt: 1, maxNewTokens: 4 })
  const [scores] = await score(model, [{ tokens: Int32Array.from({ length: 20 }, (_, i) => (i * 7) % 64), from: 1 }])
  outcomes[device] = {
    tokens: completions.map(({ tokens }) => [...tokens]),
    logprobs: completions.flatMap(({ logprobs }) => [...logprobs]),
    scores: [...(scores?.logprobs ?? [])],
  }
  await model.dispose()
}

// Weights of 8 bits, of which every run reads the bytes.
const cacheFolder = await mkdtemp(join(tmpdir(), 'waggle-int8-'))
const int8: Record<string, object> = {}
for (const device of ['cpu', 'webgpu'] as const) {
  const generator = await loadGenerator(folder, { device, precision: 'int8', cacheFolder })
  const request = { prompts: [Int32Array.of(5, 9, 30, 17)], samplesPerPrompt: 2, stopToken: -1, seed: 'int8' }
  const completions = await generator.generate({ ...request, maxNewTokens: 4, temperature: 1 })
  await generator.dispose()
  int8[device] = {
    tokens: completions.map(({ tokens }) => [...tokens]),
    logprobs: completions.flatMap(({ logprobs }) => [...logprobs]),
  }
}
await rm(cacheFolder, { recursive: true })

// A product larger than the device allows, and then one that fits.
const graph = new Graph()
const [rows, columns] = [graph.input('rows', 'f32', ['N', 1]), graph.input('columns', 'f32', [1, 'M'])]
const session = await createSession(encodeModel({ sum: sumOver(add(rows, columns)) }, [], 'webgpu'), { threads: 1 })
const sumOf = (n: number) => {
  const ones = new Float32Array(n).fill(1)
  return session.run({ rows: tensor('f32', ones, [n, 1]), columns: tensor('f32', ones, [1, n]) })
}
const shortage = await sumOf(46_000).catch((error: SessionError) => error.code)
const after = (await sumOf(10)).sum?.data[0]

// Runs that ask for more outputs than those before, and for fewer.
const x = graph.input('x', 'f32', [2])
const outputs = { twice: scale(x, 2), thrice: scale(x, 3), five: scale(x, 5) }
const asked = await createSession(encodeModel(outputs, [], 'webgpu', ['thrice']), { threads: 1 })
const given: Record<string, number[]>[] = []
for (const names of [['thrice'], ['five'], ['twice', 'five'], ['twice', 'thrice', 'five'], ['five']]) {
  const { results, kept } = await asked.runKeeping({ x: tensor('f32', Float32Array.of(1, 2), [2]) }, names)
  const there = kept.thrice ? { thrice: await fromDevice('webgpu', kept.thrice) } : {}
  kept.thrice?.dispose()
  const numbers = Object.entries({ ...results, ...there }).map(([name, { data }]) => [
    name,
    [...(data as Float32Array)],
  ])
  given.push(Object.fromEntries(numbers))
}

// Arithmetic that a device may not have, in a session that is made all the same.
const half = graph.input('half', 'f32', [2])
const double = cast(add(cast(half, 'f16'), cast(half, 'f16')), 'f32')
const halves = await createSession(encodeModel({ double }, [], 'webgpu'), { threads: 1 })
const float16 = await halves.run({ half: tensor('f32', Float32Array.of(1, 2), [2]) }).then(
  results => [...(results.double as Tensor<'f32'>).data],
  ({ code, message }: SessionError) => [code, message],
)
console.log(JSON.stringify({ ...outcomes, int8, shortage, after, float16, given }))
