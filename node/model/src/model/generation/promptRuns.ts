import { groupedAttention } from '#engine/cachedAttention.ts'
import { type Device, keepsTensors } from '#engine/devices/device.ts'
import { Graph } from '#engine/graph.ts'
import { encodeModel, type OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { cast } from '#engine/tensor.ts'
import type { DeviceReal } from './deviceArrays.ts'
import { PREFILL_PART, type PromptRuns } from './prefill.ts'

/** Tokens of a prompt that every device's kernel reads correctly in one run: up to 31 tokens it is the kernel for single tokens. */
const SAFE_PART = 16

/** Tolerance between two readings of the same tokens, for numbers of about one. */
const TOLERANCE: Readonly<Record<DeviceReal, number>> = { f32: 1e-4, f16: 2e-2 }

const known = new Map<string, Promise<PromptRuns>>()

/**
 * How a device reads prompts, by the number type of its keys and values. A kernel of attention over a cache reads one prompt at a time. ONNX
 * Runtime 1.30 has two of them. The one for 32 tokens and more is wrong on WebGPU if a subgroup has few lanes (SwiftShader has four), so its
 * results are compared with the other's once per process.
 */
export function promptRuns(device: Device, real: DeviceReal): Promise<PromptRuns> {
  if (!keepsTensors(device)) return Promise.resolve({ part: PREFILL_PART, together: true })
  const key = `${device} ${real}`
  const runs = known.get(key) ?? probe(device, real)
  known.set(key, runs)
  return runs
}

async function probe(device: Device, real: DeviceReal): Promise<PromptRuns> {
  const length = 4 * SAFE_PART
  const session = await createSession(probeModel(device, real), { threads: 1 })
  const x = Float32Array.from({ length: length * WIDTH }, (_, i) => Math.sin(i * 1.7 + (i >> 5)))
  const nothing = tensor('f32', new Float32Array(length * HEAD), [1, 1, length, HEAD])
  const whole = await read(session, x, 0, { key: nothing, value: nothing })
  let cache = { key: nothing, value: nothing }
  const parts: number[] = []
  for (let from = 0; from < length; from += SAFE_PART) {
    const given = await read(session, x.subarray(from * WIDTH, (from + SAFE_PART) * WIDTH), from, cache)
    parts.push(...given.mixed)
    cache = given
  }
  await session.dispose()
  const isRight = parts.every((y, i) => Math.abs(y - (whole.mixed[i] ?? Number.NaN)) <= TOLERANCE[real])
  return { part: isRight ? PREFILL_PART : SAFE_PART, together: false }
}

/** As many models have it: the kernels differ by a head's width, and by whether queries share keys. */
const [HEAD, QUERIES] = [64, 7]

/** Of a token's queries, key and value. */
const WIDTH = (QUERIES + 2) * HEAD

/** Attention of queries that share a key head, which also returns the cache. */
function probeModel(device: Device, real: DeviceReal): OnnxModel {
  const graph = new Graph()
  const input = (name: string, shape: readonly (string | number)[]) => cast(graph.input(name, 'f32', shape), real)
  const cache = {
    key: input('key', [1, 1, 'P', HEAD]),
    value: input('value', [1, 1, 'P', HEAD]),
    lastPlace: graph.input('lastPlace', 'i32', [1]),
    filled: graph.input('filled', 'i32', []),
  }
  const outputs = groupedAttention([input('x', [1, 'S', WIDTH])], cache, QUERIES, null)
  const wide = Object.entries(outputs).map(([name, value]) => [`next.${name}`, cast(value, 'f32')])
  return encodeModel(Object.fromEntries(wide), [], device)
}

async function read(
  session: Session,
  x: Float32Array,
  before: number,
  cache: { readonly key: Tensor<'f32'>; readonly value: Tensor<'f32'> },
) {
  const length = x.length / WIDTH
  const given = await session.run({
    key: cache.key,
    value: cache.value,
    x: tensor('f32', x, [1, length, WIDTH]),
    lastPlace: tensor('i32', Int32Array.of(before + length - 1), [1]),
    filled: tensor('i32', Int32Array.of(before + length), []),
  })
  const of = (name: string) => given[`next.${name}`] as Tensor<'f32'>
  return { mixed: of('mixed').data, key: of('key'), value: of('value') }
}
