import { type Device, keepsTensors } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { toDevice } from '#engine/devices/toDevice.ts'
import { createSession, type Feed, type Session, type Tensor, tensor } from '#engine/session.ts'
import { add, concat, linear, matMul, split } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import { checkOptions, runSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import { createFixedSession, type SessionQueue } from '../liveSession.ts'
import { loraScaling } from '../lora/loraConfig.ts'
import { type LoraAdapter, loraShapes } from '../lora/loraFactors.ts'
import type { Freeze, FrozenParts } from '../quantization/frozenParts.ts'
import { type Generator, generatorOn } from './generate.ts'
import { buildGenerationModel } from './generationGraph.ts'

/**
 * Makes a sampler for frozen weights with an adapter over them. The factors are inputs of the graph and are read in place:
 * a trainer may change them between calls, and nothing is built again.
 *
 * Here too a completion is bitwise identical alone and in any batch, for one thread and for two.
 *
 * @param freeze - the base: weights in memory (`bakedParts`), or a model's own or quantised files (`frozenParts`).
 * @param resident - gives the factors where they are on the device already, and newer there than in the adapter.
 * @throws {ModelInputError} if a target of the adapter is not a linear module of the decoder's layers.
 */
export async function createAdaptedGenerator(
  config: DecoderConfig,
  freeze: Freeze,
  adapter: LoraAdapter,
  options: { threads?: number; device?: Device } = {},
  resident: ResidentFactors | null = null,
): Promise<Generator> {
  checkOptions(runSchema, options, 'createAdaptedGenerator')
  const { threads = 2, device } = options
  const model = buildGenerationModel(config, adaptedParts(config, freeze, adapter), device)
  const session = await createSession(model, { threads })
  return generatorOn(config, adaptedSession(session, adapter, resident), 2)
}

/** A factor on the device, by name. Its owner frees it, but not while a job runs. */
export type ResidentFactors = (name: string) => Promise<DeviceTensor>

/**
 * A session that is fed an adapter's factors with every run, as they are when a job begins: read in place, or copied to the device once for all
 * runs of the job, unless they are there.
 */
export function adaptedSession(
  session: Session,
  adapter: LoraAdapter,
  resident: ResidentFactors | null = null,
): SessionQueue {
  const queue = createFixedSession(session)
  const { device } = session.model
  return {
    use: job =>
      queue.use(async () => {
        const factors = factorTensors(adapter)
        const copies = keepsTensors(device) && !resident ? await toDevice(device, factors) : {}
        const fed: Record<string, Feed> = { ...factors, ...copies }
        if (resident) for (const name of Object.keys(factors)) fed[name] = await resident(name)
        try {
          return await job({
            ...session,
            run: (feeds, outputs) => session.run({ ...feeds, ...fed }, outputs),
            runKeeping: (feeds, outputs) => session.runKeeping({ ...feeds, ...fed }, outputs),
          })
        } finally {
          for (const copy of Object.values(copies)) copy.dispose()
        }
      }),
    dispose: () => queue.dispose(),
  }
}

const factorTensors = ({ factors }: LoraAdapter): Record<string, Tensor<'f32'>> =>
  Object.fromEntries([...factors].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)]))

/** Frozen parts with an adapter's factors as inputs, by their names, and their products added to those of the modules. */
export function adaptedParts(config: DecoderConfig, freeze: Freeze, { config: lora }: LoraAdapter): Freeze {
  const shapes = loraShapes(config, lora)
  const scaling = loraScaling(lora)
  return graph => {
    const inputs = new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'f32', shape)]))
    const update: Update = (x, module) => {
      const [a, b] = ['A', 'B'].map(factor => inputs.get(`${module}.lora_${factor}.weight`))
      return a && b ? matMul(linear(x, a), b, { transB: true, alpha: scaling }) : undefined
    }
    return withUpdates(config, freeze(graph), update)
  }
}

/** An adapter's addition to a module's output for rows x; undefined for none. */
export type Update = (x: Value, module: string) => Value | undefined

/** Frozen parts, with updates added to the products of the modules. */
export function withUpdates(config: DecoderConfig, base: FrozenParts, update: Update): FrozenParts {
  const weightShapes = decoderWeightShapes(config)
  const widthOf = (module: string) => weightShapes.get(`${module}.weight`)?.[0] as number
  return {
    ...base,
    project(x, ...modules) {
      const y = base.project(x, ...modules)
      const updates = modules.map(module => update(x, module))
      if (updates.every(part => part === undefined)) return y
      const parts = modules.length === 1 ? [y] : split(y, -1, modules.map(widthOf))
      const sums = parts.map((part, i) => (updates[i] ? add(part, updates[i]) : part))
      return sums.length === 1 ? (sums[0] as Value) : concat(sums, -1)
    },
  }
}
