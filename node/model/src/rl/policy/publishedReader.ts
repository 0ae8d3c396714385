import { once } from '#base/once.ts'
import type { Device } from '#engine/devices/device.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { hashStoredWeights } from '#model/decoder/weights.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { openFrozenTensors } from '#model/generation/loadGenerator.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import { ModelFileError, ModelInputError } from '#model/modelErrors.ts'
import { type BaseReader, createBaseReader } from '#model/proof/baseReader.ts'
import { createDrawReader } from '#model/proof/drawReader.ts'
import { samplingTolerances } from '#model/proof/samplingTolerances.ts'
import { bakedParts, type Freeze, frozenParts } from '#model/quantization/frozenParts.ts'
import { sequenceTask } from '#model/scoring/scoringTasks.ts'
import type { DrawsRequest, Published, ReadDraws } from './policyProtocol.ts'
import { decodePolicy, readPolicyBase } from './publishedPolicy.ts'
import { createResidents } from './residents.ts'

/**
 * Float sums in another order move activations to other codes, and each layer amplifies that: for SmolLM2-135M the prefill of a check differs from
 * that of the generator by 0.17 nats per token in the median, and by at most 1.9.
 */
const OVER_8_BITS = 'it samples over 8 bits, which cannot be checked'

/** Facts of a base without its weights: its folder is hashed once. */
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
  dispose(): Promise<void>
}

type ReaderOptions = {
  threads: number
  /** Of `generate`. */
  device?: Device
  /** See `PolicyWorkerOptions`. */
  residentBytes?: number | undefined
}

/**
 * Uses published policies; one of them is in memory at a time, and the bases that were used last.
 *
 * Draws are read on the CPU, whatever the device: `samplingTolerances` are measured between kinds of CPUs. A vote decides pay and blame, and a GPU's
 * kernels may round its products further, such as to TF32.
 */
export function createPublishedReader({ residentBytes = 0, ...run }: ReaderOptions): PublishedReader {
  const { threads } = run
  const known = new Map<string, Base>()
  const loaded = createResidents<BaseReader>(residentBytes)
  async function baseOf(folder: string): Promise<Base> {
    const base = known.get(folder) ?? (await openBase(folder, threads))
    known.set(folder, base)
    return base
  }

  /** Reads the files of a base: after a failure, its facts are read again too. Hashing it takes seconds, which no failure of a stranger's work may cost. */
  function reading<T>({ folder }: Base, work: Promise<T>): Promise<T> {
    return work.catch(error => {
      known.delete(folder)
      throw error
    })
  }

  async function read(request: DrawsRequest): Promise<ReadDraws> {
    const { policy: bytes, base: folder, sequences, topP, bases, turn } = request
    const base = await baseOf(folder)
    const { config } = base
    const named = faultless(() => ({ base: readPolicyBase(bytes) }))
    if ('fault' in named) return named
    const refused = named.base === null ? null : await reading(base, refusalOf(named.base, base, bases))
    if (refused !== null) return refused
    const policy = faultless(() => decodePolicy(bytes, config))
    if ('fault' in policy) return policy
    if ('adapter' in policy && policy.precision !== 'float32') return { fault: 'malformed', reason: OVER_8_BITS }
    const unread = faultless(() => sequences.map((sequence, i) => sequenceTask(config, sequence, i)))
    if ('fault' in unread) return unread
    const rules = { temperature: request.temperature, seed: request.seed }
    const found = { maxPositions: config.maxPositions }
    if ('weights' in policy) {
      const reader = await createDrawReader(config, bakedParts(config, policy.weights), { topP, threads })
      const draws = await reader.read(sequences, rules).finally(reader.dispose)
      return { ...found, draws }
    }
    const size = { bytes: Float32Array.BYTES_PER_ELEMENT * parameterCount(config), turn }
    const load = () => reading(base, loadBase(base, threads))
    const tolerance = samplingTolerances.float32
    const result = await loaded.use(folder, size, load, reader =>
      reader.read(policy.adapter, sequences, { ...rules, topP, tolerance }),
    )
    if (result !== null) return { ...found, draws: result.value }
    return {
      fault: 'evicted',
      reason: `its base ${policy.base} was loaded once already, and gave its memory to another`,
    }
  }

  return {
    readDraws: read,
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
    dispose: loaded.dispose,
  }
}

/**
 * Why nothing is read of an adapter, by the base that it names; null if it is the given one. Asked before the factors are decoded: their shapes are
 * those of its base, which may be larger than this one.
 */
async function refusalOf(named: string, base: Base, bases: DrawsRequest['bases']): Promise<ReadDraws | null> {
  if (bases !== null && !bases.includes(named))
    return { fault: 'unpaid base', reason: `its base ${named} is none of the environment's` }
  // Not a fault: it may be a base of the environment that this node lacks.
  return named === (await base.hash()) ? null : { fault: 'no base', reason: `its adapter is for the base ${named}` }
}

async function loadBase({ config, freeze }: Base, threads: number): Promise<BaseReader> {
  return createBaseReader(config, await freeze('float32'), { threads })
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
    freeze: precision => once(frozen, precision, () => freeze(precision)),
  }
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
