import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  allLinear,
  bakedParts,
  createAdaptedGenerator,
  createDrawReader,
  createGenerator,
  type DecoderConfig,
  type DrawReader,
  type Freeze,
  frozenParts,
  type Generator,
  importGguf,
  initLora,
  type LoraAdapter,
  loadGenerator,
  mergeLora,
  openFrozenTensors,
  readDecoderConfig,
  readWeights,
  type SpecifiedPrecision,
  samplingTolerances,
  type Weights,
} from '../../../node/model/src/model/index.ts'
import { loadEnvironments } from '../../../node/src/environments/builtIn.ts'
import { smolModel } from '../../experiment/smolModel.ts'

/** Size of the update of a tested adapter. */
export const MOVED = 0.01

/** The starter solver as one kind of policy: what samples, and what checks. */
export interface TestedPolicy {
  readonly name: string
  readonly precision: SpecifiedPrecision
  readonly config: DecoderConfig
  /** Whole, the adapter merged: for distributions in float32. */
  readonly merged: Weights
  generator(threads: number): Promise<Generator>
  reader(threads: number, topP?: number): Promise<DrawReader>
}

/** SmolLM2-135M-Instruct, whole, in float32: a vocabulary of 49,152. */
export async function publishedPolicy(modelFolder: string): Promise<TestedPolicy & { folder: string }> {
  const folder = join(modelFolder, 'imported')
  const file = await smolModel(modelFolder)
  if (!existsSync(folder)) await importGguf(file, folder)
  const config = await readDecoderConfig(folder)
  const merged = await readWeights(folder, config)
  const freeze: Freeze = frozenParts(config, await openFrozenTensors(folder, config, { precision: 'float32' }))
  return {
    folder,
    name: 'SmolLM2-135M-Instruct',
    precision: 'float32',
    config,
    merged,
    generator: threads => loadGenerator(folder, { precision: 'float32', threads }),
    reader: (threads, topP = 1) => createDrawReader(config, freeze, { threads, topP }),
  }
}

/** Prompts of the starter's held-out tasks, and where its completions end. */
export async function starterPrompts() {
  const { starter } = await loadEnvironments()
  const { format, spec } = starter
  const tasks = await starter.heldOutTasks(3, 100)
  const prompts = await Promise.all(tasks.map(({ problem }) => format.solverPrompt(problem)))
  const { temperature, maxNewTokens } = spec.solving
  const { stopToken, moreStopTokens } = format
  return { prompts, temperature, maxNewTokens, stopToken, moreStopTokens }
}

/**
 * The starter whole in float32, and with an adapter over float32 and over 8 bits.
 *
 * @param moved - size of the adapter's update: a policy and the one that a step of learning makes of it differ in it.
 */
export async function starterPolicies(moved: number): Promise<TestedPolicy[]> {
  const folder = join(import.meta.dirname, '../../../node/models/starter/solver')
  const config = await readDecoderConfig(folder)
  const weights = await readWeights(folder, config)
  const adapter = fixedAdapter(config, moved)
  const merged = mergeLora(weights, adapter)
  const whole: TestedPolicy = {
    name: 'whole, float32',
    precision: 'float32',
    config,
    merged,
    generator: async threads => createGenerator(config, merged, { threads }),
    reader: threads => createDrawReader(config, bakedParts(config, merged), { threads }),
  }
  const adapted = async (precision: SpecifiedPrecision): Promise<TestedPolicy> => {
    const freeze: Freeze = frozenParts(config, await openFrozenTensors(folder, config, { precision }))
    return {
      name: `adapter, ${precision}`,
      precision,
      config,
      merged,
      generator: threads => createAdaptedGenerator(config, freeze, adapter, { threads }),
      reader: threads =>
        createDrawReader(config, freeze, { adapter, threads, tolerance: samplingTolerances[precision] }),
    }
  }
  return [whole, await adapted('float32'), await adapted('int8')]
}

/** An adapter whose factors are all in use, the same at every call. */
function fixedAdapter(config: DecoderConfig, size: number): LoraAdapter {
  const adapter = initLora(config, { rank: 16, alpha: 32, targets: allLinear, rankStabilized: false }, 'proof')
  for (const [name, { data }] of adapter.factors)
    if (name.includes('lora_B')) for (let i = 0; i < data.length; i++) data[i] = size * Math.sin(7.1 * i)
  return adapter
}
