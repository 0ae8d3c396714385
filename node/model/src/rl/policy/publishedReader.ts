import type { Device } from '#engine/devices/device.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashStoredWeights } from '#model/decoder/weights.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { openFrozenTensors } from '#model/generation/loadGenerator.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import { ModelFileError, ModelInputError } from '#model/modelErrors.ts'
import { createDrawReader, type DrawReader } from '#model/proof/drawReader.ts'
import { bakedParts, type Freeze, frozenParts } from '#model/quantization/frozenParts.ts'
import { sequenceTask } from '#model/scoring/scoringTasks.ts'
import type { DrawsRequest, Published, ReadDraws } from './policyProtocol.ts'
import { decodePolicy, type PublishedPolicy } from './publishedPolicy.ts'

/**
 * Float sums in another order move activations to other codes, and each layer amplifies that: for SmolLM2-135M the prefill of a check differs from
 * that of the generator by 0.17 nats per token in the median, and by at most 1.9.
 */
const OVER_8_BITS = 'it samples over 8 bits, which cannot be checked'

/** Cached data of an environment's base: its folder is read once. */
type Base = {
  folder: string
  config: DecoderConfig
  hash: () => Promise<string>
  freeze: (precision: BasePrecision) => Promise<Freeze>
}

/** Operations on published policies: reading completions of strangers' policies, and sampling from the own policy's named version. */
export interface PublishedReader {
  readDraws(request: DrawsRequest): Promise<ReadDraws>
  /** @throws {ModelFileError | ModelInputError} if the bytes are not a policy over that base. */
  generate(published: Published, request: GenerateOptions): Promise<Completion[]>
}

/** Uses published policies; one of them is in memory at a time. */
export function createPublishedReader(run: { threads: number; device?: Device }): PublishedReader {
  const { threads } = run
  let kept: Base | undefined
  async function baseOf(folder: string): Promise<Base> {
    if (kept?.folder !== folder) kept = await openBase(folder, threads)
    return kept
  }

  async function read({
    policy: bytes,
    base: folder,
    sequences,
    seed,
    temperature,
    topP,
    bases,
  }: DrawsRequest): Promise<ReadDraws> {
    const base = await baseOf(folder)
    const { config } = base
    const policy = faultless(() => decodePolicy(bytes, config))
    if ('fault' in policy) return policy
    if ('adapter' in policy && policy.precision !== 'float32') return { fault: 'malformed', reason: OVER_8_BITS }
    if ('adapter' in policy && bases !== null && !bases.includes(policy.base))
      return { fault: 'unpaid base', reason: `its base ${policy.base} is none of the environment's` }
    const unread = faultless(() => sequences.map((sequence, i) => sequenceTask(config, sequence, i)))
    if ('fault' in unread) return unread
    // Not a fault: it may be a base of the environment that this node lacks.
    if ('adapter' in policy && policy.base !== (await base.hash()))
      return { fault: 'unavailable', reason: `its adapter is for the base ${policy.base}` }
    const reader = await readerOf(base, policy, { topP, threads })
    try {
      const draws = await reader.read(sequences, { temperature, seed })
      return { draws, maxPositions: config.maxPositions }
    } finally {
      await reader.dispose()
    }
  }

  return {
    async readDraws(request) {
      try {
        return await read(request)
      } catch (error) {
        kept = undefined // a failed read is repeated
        throw error
      }
    },
    async generate({ policy: bytes, base: folder }, request) {
      const { config, freeze } = await baseOf(folder)
      const policy = decodePolicy(bytes, config)
      const generator =
        'weights' in policy
          ? createGenerator(config, policy.weights, run)
          : await createAdaptedGenerator(config, await freeze(policy.precision), policy.adapter, run)
      try {
        return await generator.generate(request)
      } finally {
        await generator.dispose()
      }
    },
  }
}

async function openBase(folder: string, threads: number): Promise<Base> {
  const config = await readDecoderConfig(folder)
  let hash: Promise<string> | undefined
  const frozen = new Map<BasePrecision, Promise<Freeze>>()
  const freeze = async (precision: BasePrecision) =>
    frozenParts(config, await openFrozenTensors(folder, config, { precision, threads }))
  return {
    folder,
    config,
    hash() {
      hash ??= hashStoredWeights(folder, config)
      return hash
    },
    freeze(precision) {
      const made = frozen.get(precision) ?? freeze(precision)
      frozen.set(precision, made)
      return made
    },
  }
}

async function readerOf(
  { config, freeze }: Base,
  policy: PublishedPolicy,
  options: { topP: number; threads: number },
): Promise<DrawReader> {
  if ('weights' in policy) return createDrawReader(config, bakedParts(config, policy.weights), options)
  const { adapter, precision } = policy
  return createDrawReader(config, await freeze(precision), { adapter, ...options })
}

function faultless<T>(read: () => T): T | { fault: 'malformed'; reason: string } {
  try {
    return read()
  } catch (error) {
    if (error instanceof ModelFileError || error instanceof ModelInputError)
      return { fault: 'malformed', reason: error.message }
    throw error
  }
}
