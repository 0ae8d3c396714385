import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomStream } from '../../node/model/src/base/random.ts'
import { writeFileAtomic } from '../../node/model/src/base/writeFileAtomic.ts'
import { commonShape } from '../../node/model/src/model/decoder/commonShape.ts'
import { type DecoderConfig, formatDecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../../node/model/src/model/decoder/decoderWeights.ts'
import type { Bench } from '../measure/bench.ts'
import { ggufHeader, ggufName, q8Blocks } from './gguf.ts'

interface RandomModel {
  /** A Hugging Face folder with float32 weights. */
  readonly folder: string
  /** The same weights as llama.cpp takes them, matrices in q8_0. */
  readonly gguf: string
}

const POOL = 1 << 20

/** Writes the benchmarks' weights, once: 2 GB of safetensors and 0.5 GB of GGUF. */
export function randomModel(bench: Bench): Promise<RandomModel> {
  return bench.once('random model', async () => {
    const folder = join(bench.folder, 'qwen2.5-0.5b-random')
    const model = { folder, gguf: join(folder, 'q8_0.gguf') }
    const done = join(folder, 'config.json')
    if (await readFile(done).catch(() => undefined)) return model
    bench.log('writing random weights (2.5 GB)')
    await mkdir(folder, { recursive: true })
    await writeWeights(model, commonShape)
    await writeConfig(done, commonShape)
    return model
  })
}

/** Standard deviation of random weights, as models begin with. */
const DEVIATION = 0.02

/**
 * Writes float32 weights of a shape, once, and nothing for llama.cpp.
 *
 * @param embedding - standard deviation of the embedding table, and with it of logits, which are its products with a normed state.
 */
export async function randomFolder(
  bench: Bench,
  name: string,
  config: DecoderConfig,
  embedding = DEVIATION,
): Promise<string> {
  const folder = join(bench.folder, name)
  const done = join(folder, 'config.json')
  if (await readFile(done).catch(() => undefined)) return folder
  bench.log(`writing random weights to ${folder}`)
  await mkdir(folder, { recursive: true })
  await writeWeights({ folder, gguf: null }, config, embedding)
  await writeConfig(done, config)
  return folder
}

/** Written last: a folder without it is not whole. */
function writeConfig(path: string, config: DecoderConfig): Promise<void> {
  return writeFileAtomic(path, JSON.stringify({ ...formatDecoderConfig(config), torch_dtype: 'float32' }))
}

async function writeWeights(
  { folder, gguf }: { folder: string; gguf: string | null },
  config: DecoderConfig,
  embedding = DEVIATION,
): Promise<void> {
  const shapes = [...decoderWeightShapes(config)]
  const stream = randomStream('benchmark weights', 'waggle')
  const pool = Float32Array.from({ length: POOL }, () => DEVIATION * stream.normal())
  const safetensors = await open(join(folder, 'model.safetensors'), 'w')
  const other = gguf === null ? null : await open(gguf, 'w')
  await safetensors.write(safetensorsHeader(shapes))
  await other?.write(ggufHeader(config, shapes))
  for (const [name, shape] of shapes) {
    const elements = shape.reduce((a, b) => a * b, 1)
    const scale = name.includes('embed_tokens') ? embedding / DEVIATION : 1
    let written = 0
    for (let at = 0; at < elements; at += POOL) {
      const from = Math.floor(stream.uniform() * POOL)
      const part = new Float32Array(Math.min(POOL, elements - at))
      const one = name.endsWith('norm.weight') ? 1 : 0
      for (let i = 0; i < part.length; i++) part[i] = one + scale * (pool[(from + i) % POOL] as number)
      await safetensors.write(bytesOf(part))
      if (other) written += await writeAll(other, shape.length === 2 ? q8Blocks(part) : bytesOf(part))
    }
    if (written % 32) throw new Error(`${ggufName(name)} does not end on a boundary`)
  }
  await safetensors.close()
  await other?.close()
}

const bytesOf = (array: Float32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<number> {
  await file.write(bytes)
  return bytes.length
}

function safetensorsHeader(shapes: readonly (readonly [string, readonly number[]])[]): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  let offset = 0
  for (const [name, shape] of shapes) {
    const bytes = 4 * shape.reduce((a, b) => a * b, 1)
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + bytes] }
    offset += bytes
  }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(Math.ceil(json.length / 8) * 8))
  return Buffer.concat([length, json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')])
}
