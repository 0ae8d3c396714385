import type { Device } from '#engine/devices/device.ts'
import { chooseIntegerKernels } from '#engine/integerKernels.ts'
import { createSession } from '#engine/session.ts'
import { checkOptions, loadSchema } from '../checkOptions.ts'
import { type DecoderConfig, readDecoderConfig } from '../decoder/decoderConfig.ts'
import { createFixedSession } from '../liveSession.ts'
import { frozenParts } from '../quantization/frozenParts.ts'
import { type FrozenTensors, locateFrozenTensors } from '../quantization/frozenTensors.ts'
import type { Precision } from '../quantization/precision.ts'
import { type CacheOptions, openQuantized } from '../quantization/quantizedCache.ts'
import { integerMatrixShapes } from '../quantization/quantizedTensors.ts'
import { checkedGenerator } from './checkedGenerator.ts'
import { type Generator, generatorOn } from './generate.ts'
import { buildGenerationModel } from './generationGraph.ts'

export interface LoadOptions extends CacheOptions {
  /** float32 by default. */
  readonly precision?: Precision | undefined
  /** Threads for one product, 2 by default; the results do not depend on it. */
  readonly threads?: number | undefined
  /** Device that runs it, `cpu` by default; results of a GPU are not bitwise identical to those of the CPU. */
  readonly device?: Device | undefined
}

/**
 * Makes a sampler for a model that does not change, from its Hugging Face folder: weights are read in place, or from a
 * quantised copy that the first call makes.
 *
 * @throws {ModelFileError} naming the file and the tensor or field that is missing, misshapen or malformed; in generation, if weights are
 *   not finite.
 */
export async function loadGenerator(folder: string, options: LoadOptions = {}): Promise<Generator> {
  checkOptions(loadSchema, options, 'loadGenerator')
  const config = await readDecoderConfig(folder)
  const tensors = await openFrozenTensors(folder, config, options)
  const model = buildGenerationModel(config, frozenParts(config, tensors), options.device)
  const session = createFixedSession(await createSession(model, { threads: options.threads ?? 2 }))
  return checkedGenerator(generatorOn(config, session), folder, options.precision ?? 'float32')
}

/** A model's frozen weights in a precision, from its folder. */
export async function openFrozenTensors(
  folder: string,
  config: DecoderConfig,
  options: LoadOptions,
): Promise<FrozenTensors> {
  checkOptions(loadSchema, options, 'openFrozenTensors')
  const { precision = 'float32', threads } = options
  if (precision === 'float32' || precision === 'float16') return locateFrozenTensors(folder, config, precision)
  const tensors = await openQuantized(folder, config, precision, options)
  if (precision === 'int4') return tensors
  const choices = await chooseIntegerKernels(integerMatrixShapes(config), { threads })
  const fused = new Map(choices.map(({ shape, isFused }) => [shape.join(), isFused]))
  return { ...tensors, isFused: shape => fused.get(shape.join()) ?? true }
}
