import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { decoderWeightShapes } from '#model/decoder/decoderWeights.ts'
import { checkShapes } from '#model/decoder/weightFiles.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { encodeSafetensors, encodeSafetensorsHeader, type Tensor } from '#model/files/safetensors.ts'
import { parseSafetensorsHeader, parseSafetensorsMetadata } from '#model/files/safetensorsHeader.ts'
import { type BasePrecision, basePrecisions, type LoraConfig } from '#model/lora/loraConfig.ts'
import { type LoraAdapter, loraShapes } from '#model/lora/loraFactors.ts'
import { ModelFileError, ModelInputError } from '#model/modelErrors.ts'

/** An adapter and its base, without which its numbers have no meaning. */
interface PublishedAdapter {
  readonly adapter: LoraAdapter
  /** Content hash of the base's weights (`hashWeights`). */
  readonly base: string
  /** Precision of the products with the base when the policy samples. */
  readonly precision: BasePrecision
}

/** A published policy: all weights, or an adapter. */
export type PublishedPolicy = { readonly weights: Weights } | PublishedAdapter

/** Most bytes before the numbers: a tensor takes about 150, and a model of these families has a few thousand at most. */
const MAX_HEADER_BYTES = 1 << 20

const ADAPTER = 'adapter'
const FILE = 'a published policy'

const adapterSchema = z.strictObject({
  base: z.string().regex(/^0x[0-9a-f]{64}$/),
  precision: z.enum(basePrecisions),
  rank: z.int().min(1).max(4096),
  alpha: z.number().positive().max(1e6),
  targets: z.array(z.string().max(128)).min(1).max(64),
  rankStabilized: z.boolean(),
})

/**
 * The bytes of a published policy, in parts: a safetensors file in F32, tensors in the order of their names; an adapter's metadata names its base.
 * A policy has exactly one encoding, so its hash is the sha-256 of these bytes: peers commit to that hash, and fetch by it.
 */
export function encodePolicy(policy: PublishedPolicy): Uint8Array[] {
  if ('weights' in policy) return encodeSafetensors(policy.weights, 'F32')
  return encodeSafetensors(policy.adapter.factors, 'F32', metadataOf(policy))
}

/** Maximum of bytes of a policy of an architecture: those of all its weights, for adapters too. */
export function maxPolicyBytes(config: DecoderConfig): number {
  let elements = 0
  for (const shape of decoderWeightShapes(config).values())
    elements += shape.reduce((product, length) => product * length, 1)
  return MAX_HEADER_BYTES + Float32Array.BYTES_PER_ELEMENT * elements
}

/** Content hash of a policy; of whole weights it is `hashWeights`. */
export function hashPolicy(policy: PublishedPolicy): `0x${string}` {
  const hash = createHash('sha256')
  for (const part of encodePolicy(policy)) hash.update(part)
  return `0x${hash.digest('hex')}` as const
}

/**
 * Reads a policy that a stranger published.
 *
 * @param config - of the environment's base, whose architecture a policy has.
 * @throws {ModelFileError} if the bytes are not the one encoding of a policy of that architecture, in finite numbers.
 */
export function decodePolicy(bytes: Uint8Array, config: DecoderConfig): PublishedPolicy {
  const { text, data } = splitHeader(bytes)
  const described = parseSafetensorsMetadata(text, FILE)[ADAPTER]
  const adapter = described === undefined ? null : parseAdapter(described)
  const shapes = adapter && factorShapes(config, adapter.lora)
  const entries = new Map(parseSafetensorsHeader(text, data.byteLength, FILE).map(entry => [entry.name, entry]))
  if (shapes) requireShapes(entries, shapes)
  else checkShapes(config, entries, FILE)
  const metadata = adapter ? { [ADAPTER]: described as string } : {}
  const canonical = Buffer.concat(encodeSafetensorsHeader(entries, 'F32', metadata))
  if (Buffer.compare(canonical, bytes.subarray(0, canonical.length)) !== 0)
    throw new ModelFileError(FILE, 'header', 'is not in the format of a policy')
  // In the order in which the policy has them.
  const names = shapes ? [...shapes.keys()] : [...entries.keys()]
  const tensors: Weights = new Map()
  for (const name of names) {
    const { shape, elements, begin } = entries.get(name) as NonNullable<ReturnType<typeof entries.get>>
    // Not `data.slice`: that of a Buffer copies nothing.
    tensors.set(name, readTensor(name, shape, new Uint8Array(data.subarray(begin, begin + 4 * elements))))
  }
  if (adapter === null) return { weights: tensors }
  const policy = {
    adapter: { config: adapter.lora, factors: tensors },
    base: adapter.base,
    precision: adapter.precision,
  }
  if (metadataOf(policy)[ADAPTER] !== described) throw new ModelFileError(FILE, ADAPTER, 'is not in that format')
  return policy
}

/**
 * The base that a stranger's policy adapts, by the hash of its weights, as its header says; null for whole weights. Nothing else of it is checked.
 *
 * @throws {ModelFileError} if the header cannot be read.
 */
export function readPolicyBase(bytes: Uint8Array): string | null {
  const described = parseSafetensorsMetadata(splitHeader(bytes).text, FILE)[ADAPTER]
  return described === undefined ? null : parseAdapter(described).base
}

/** Index of the first architecture whose weights a stranger's policy has, by its header; -1 for none, and for any other bytes. */
export function architectureOf(bytes: Uint8Array, configs: readonly DecoderConfig[]): number {
  const entries = withoutFault(() => {
    const { text, data } = splitHeader(bytes)
    return new Map(parseSafetensorsHeader(text, data.byteLength, FILE).map(entry => [entry.name, entry]))
  })
  if (entries === null) return -1
  const fits = (config: DecoderConfig) => {
    checkShapes(config, entries, FILE)
    return true
  }
  return configs.findIndex(config => withoutFault(() => fits(config)) === true)
}

function withoutFault<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof ModelFileError) return null
    throw error
  }
}

function splitHeader(bytes: Uint8Array): { text: Uint8Array; data: Uint8Array } {
  const refuse = (problem: string) => new ModelFileError(FILE, 'header', problem)
  if (bytes.byteLength < 8) throw refuse('is missing')
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)
  if (length > Math.min(MAX_HEADER_BYTES, bytes.byteLength - 8)) throw refuse(`claims ${length} bytes`)
  const end = 8 + Number(length)
  return { text: bytes.subarray(8, end), data: bytes.subarray(end) }
}

function parseAdapter(text: string): { lora: LoraConfig; base: string; precision: BasePrecision } {
  try {
    const { base, precision, ...lora } = adapterSchema.parse(JSON.parse(text))
    return { lora, base, precision }
  } catch (cause) {
    throw new ModelFileError(FILE, ADAPTER, 'does not describe one', { cause })
  }
}

function factorShapes(config: DecoderConfig, lora: LoraConfig): Map<string, readonly number[]> {
  try {
    return loraShapes(config, lora)
  } catch (cause) {
    if (cause instanceof ModelInputError) throw new ModelFileError(FILE, ADAPTER, cause.message, { cause })
    throw cause
  }
}

function metadataOf({ adapter: { config }, base, precision }: PublishedAdapter): Record<string, string> {
  const { rank, alpha, targets, rankStabilized } = config
  return { [ADAPTER]: JSON.stringify({ base, precision, rank, alpha, targets, rankStabilized }) }
}

function requireShapes(
  entries: ReadonlyMap<string, { shape: readonly number[] }>,
  due: ReadonlyMap<string, readonly number[]>,
) {
  for (const [name, shape] of due)
    if (entries.get(name)?.shape.join() !== shape.join())
      throw new ModelFileError(FILE, name, `is missing or is not of shape [${shape}]`)
  if (entries.size !== due.size) throw new ModelFileError(FILE, 'header', 'has factors of modules that are not adapted')
}

/** @param bytes - a copy: at its offset in the file a tensor may not be aligned. */
function readTensor(name: string, shape: readonly number[], bytes: Uint8Array): Tensor {
  const data = new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / 4)
  if (!data.every(Number.isFinite)) throw new ModelFileError(FILE, name, 'contains a value that is not a finite number')
  return { shape, data }
}
