import { type DeviceTensor, isOnDevice } from '#engine/devices/deviceTensor.ts'
import { fromDevice, toDevice } from '#engine/devices/toDevice.ts'
import { type Feed, type RunResults, type Tensor, tensor } from '#engine/session.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { deviceArrays } from '#model/generation/deviceArrays.ts'
import { DeviceCache } from '#model/generation/deviceCache.ts'
import { KvCache } from '#model/generation/kvCache.ts'

// Prompts, steps, rows that end and rows that come, on a cache of the CPU and on one of WebGPU: prints how many keys and values each has in the end, and how many differ.
const config = { ...tinyConfig, layers: 1, heads: 2, kvHeads: 2, headDim: 3 }
const { kvHeads, headDim } = config
const arrays = deviceArrays('webgpu')
const here = (x: Feed) => (isOnDevice(x) ? fromDevice('webgpu', x) : x) as Promise<Tensor<'f32'>>

/** All keys and values are different numbers. */
let number = 0

/** What a run gives to either cache: the same new keys and values, [rows, kvHeads, length, headDim] each. */
async function run(cache: DeviceCache, rows: number, length: number) {
  const block = () =>
    tensor(
      'f32',
      Float32Array.from({ length: rows * kvHeads * length * headDim }, () => ++number),
      [...[rows, kvHeads, length, headDim]],
    )
  const [key, value] = [block(), block()]
  const both = Float32Array.of(...key.data, ...value.data)
  const cpu: RunResults = { results: { new: tensor('f32', both, [2 * rows, kvHeads, length, headDim]) }, kept: {} }
  const feeds = cache.feeds(new Array<number>(rows).fill(0), length)
  const fresh = await toDevice('webgpu', { key, value })
  const kept: Record<string, DeviceTensor> = {}
  for (const part of ['key', 'value'])
    kept[`kept.0.${part}`] = await arrays.join(2, feeds[`recent.0.${part}`] as Feed, fresh[part] as DeviceTensor)
  return { cpu, webgpu: { results: {}, kept } }
}

const [cpu, webgpu] = [new KvCache(config, 6, 1), new DeviceCache(config, 'webgpu')]
let filled: number[] = []

async function admit(prompts: readonly number[], copies: readonly number[]): Promise<void> {
  const length = 16
  const [own, ownThere] = [new KvCache(config, prompts.length, length), new DeviceCache(config, 'webgpu')]
  for (let start = 0; start < Math.max(...prompts); start += length) {
    const before = prompts.map(prompt => Math.min(prompt, start))
    const counts = prompts.map((prompt, i) => Math.min(prompt - (before[i] as number), length))
    const given = await run(ownThere, prompts.length, length)
    own.reserve(start + length)
    await own.append(given.cpu, before, counts)
    await ownThere.append(given.webgpu, before, counts)
  }
  cpu.reserve(Math.max(...filled, ...prompts) + 1)
  await cpu.adopt(own, copies, filled.length, prompts)
  await webgpu.adopt(ownThere, copies)
  ownThere.dispose()
  filled = [...filled, ...copies.map(row => prompts[row] as number)]
}

async function steps(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const given = await run(webgpu, filled.length, 1)
    const ones = filled.map(() => 1)
    cpu.reserve(Math.max(...filled) + 1)
    await cpu.append(given.cpu, filled, ones)
    await webgpu.append(given.webgpu, filled, ones)
    filled = filled.map(positions => positions + 1)
  }
}

async function keep(order: readonly number[]): Promise<void> {
  filled = order.map(row => filled[row] as number)
  await cpu.keep(order, filled)
  await webgpu.keep(order)
}

/** All that rows have of a part, in the order of their positions. */
function seen(blocks: readonly { block: Tensor<'f32'>; isSeen: (row: number, place: number) => boolean }[]): number[] {
  return filled.flatMap((_, row) =>
    Array.from({ length: kvHeads }, (_, head) => head).flatMap(head =>
      blocks.flatMap(({ block, isSeen }) => {
        const places = block.shape[2] as number
        return Array.from({ length: places }, (_, place) => place)
          .filter(place => isSeen(row, place))
          .flatMap(place => [...block.data.slice(...span((row * kvHeads + head) * places + place))])
      }),
    ),
  )
}
const span = (place: number): [number, number] => [place * headDim, (place + 1) * headDim]

await admit([5, 20], [0, 0, 1])
await steps(66)
await keep([2, 1])
await steps(3)
await admit([33, 16], [1, 0, 0])
await keep([4, 1, 2, 3])
await steps(2)
const matrix = tensor(
  'f32',
  Float32Array.from({ length: 8 }, (_, i) => i + 1),
  [4, 2],
)
const [rear, second] = [await arrays.rows(matrix, 2, 4), await arrays.rows(matrix, 1, 2)]
console.log(JSON.stringify([...(await here(await arrays.joinRows(rear, second))).data]))
for (const part of ['key', 'value']) {
  const there = webgpu.feeds(filled, 1)
  const hidden = there.hidden as Tensor<'f32'>
  const isFilled = (row: number, place: number) => hidden.data[row * (hidden.shape[3] as number) + place] === 0
  const onDevice = seen([
    { block: await here(there[`past.0.${part}`] as Feed), isSeen: isFilled },
    { block: await here(there[`recent.0.${part}`] as Feed), isSeen: (_, place) => place > 0 },
  ])
  const block = cpu.feeds(filled, 1)[`past.0.${part}`] as Tensor<'f32'>
  const onCpu = seen([{ block, isSeen: (row, place) => place < (filled[row] as number) }])
  const wrong = onCpu.filter((x, i) => x !== onDevice[i]).length
  console.log(JSON.stringify({ part, rows: filled, onCpu: onCpu.length, onDevice: onDevice.length, wrong }))
}
webgpu.dispose()
