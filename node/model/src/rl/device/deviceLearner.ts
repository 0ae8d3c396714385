import type { Device } from '#engine/devices/device.ts'
import { type DeviceTensor, isOnDevice } from '#engine/devices/deviceTensor.ts'
import { rankPrograms } from '#engine/devices/rankPrograms.ts'
import { fromDevice, toDevice } from '#engine/devices/toDevice.ts'
import { DeviceError, SessionMemoryError } from '#engine/engineError.ts'
import { type Feed, tensor } from '#engine/session.ts'
import { type AdamWOptions, zeroMoments } from '../optimizers/adamW.ts'
import { adamWModel, adamWScalars, squaresModel, zerosModel } from '../optimizers/adamWGraph.ts'
import { type Learner, requireFinite, type Snapshot, type Update } from '../optimizers/learner.ts'
import type { OptimizerState, Parameters } from '../optimizers/optimizer.ts'
import { restoreState } from '../optimizers/optimizerState.ts'

/** By `weight.<parameter>`, and `mean.` and `square.` for its moments. */
type There = Map<string, DeviceTensor>

/**
 * AdamW in a device's memory: weights and moments are copied there at first use, and gradients never leave it. Only norms of gradients, four bytes per
 * tensor, and requested tensors are copied back. Tensors there never change: a step makes new ones, so a snapshot just keeps the old ones.
 */
export class DeviceLearner implements Learner<DeviceTensor> {
  readonly #device: Device
  readonly #parameters: Parameters
  readonly #options: AdamWOptions
  readonly #programs
  #steps = 0
  #there: There = new Map()
  /** Moments that were loaded, until they are copied to the device. */
  #loaded: ReadonlyMap<string, Float32Array> | null = null
  /** Tensors of a snapshot: not freed when a step replaces them. */
  #kept: ReadonlySet<DeviceTensor> = new Set()
  #isReadBack = true

  constructor(parameters: Parameters, options: AdamWOptions, device: Device) {
    this.#device = device
    this.#parameters = parameters
    this.#options = options
    this.#programs = {
      step: rankPrograms(rank => adamWModel(rank, options, device)),
      squares: rankPrograms(rank => squaresModel(rank, device)),
      zeros: rankPrograms(rank => zerosModel(rank, device)),
    }
  }

  get steps(): number {
    return this.#steps
  }

  /** A trained tensor as it is now, until the next update. */
  async weight(name: string): Promise<DeviceTensor> {
    const { data, shape } = this.#parameters.get(name) ?? unknown(name)
    return this.#once(`weight.${name}`, async () => this.#copied(data, shape))
  }

  async update({ loss, sums, learningRate, clipNorm }: Update<DeviceTensor>): Promise<number> {
    const norm = await this.#norm(sums)
    requireFinite(loss, norm)
    const factor = clipNorm > 0 && norm > clipNorm ? clipNorm / (norm + 1e-6) : 1
    for (const name of this.#parameters.keys()) await this.#moments(name)
    const scalars = adamWScalars(this.#steps + 1, factor, learningRate, this.#options)
    const shared = await toDevice(
      this.#device,
      Object.fromEntries(Object.entries(scalars).map(([name, x]) => [name, tensor('f32', Float32Array.of(x), [])])),
    )
    try {
      for (const name of this.#parameters.keys()) await this.#step(name, sums.get(name) as DeviceTensor, shared)
    } catch (cause) {
      throw cause instanceof SessionMemoryError ? halfway(cause) : cause
    } finally {
      free(Object.values(shared))
    }
    this.#steps++
    this.#isReadBack = false
    return norm
  }

  async snapshot(): Promise<Snapshot> {
    for (const name of this.#parameters.keys()) await this.#moments(name)
    const [there, steps] = [new Map(this.#there), this.#steps]
    this.#kept = new Set(there.values())
    const drop = (dropped: There, others: There) => {
      this.#kept = new Set()
      const used = new Set(others.values())
      free([...dropped.values()].filter(x => !used.has(x)))
    }
    return {
      undo: async () => {
        drop(this.#there, there)
        this.#there = there
        this.#steps = steps
        this.#isReadBack = false
      },
      forget: async () => drop(there, this.#there),
    }
  }

  async state(): Promise<OptimizerState> {
    const tensors = zeroMoments(this.#parameters)
    for (const [name, data] of tensors) data.set(await this.#read(name, this.#loaded?.get(name) ?? data))
    return { steps: this.#steps, tensors }
  }

  load(state: OptimizerState): void {
    const loaded = zeroMoments(this.#parameters)
    this.#steps = restoreState(loaded, state)
    this.#loaded = loaded
    for (const name of loaded.keys()) this.#replace(name, undefined)
  }

  async readBack(): Promise<void> {
    if (this.#isReadBack) return
    for (const [name, { data }] of this.#parameters) data.set(await this.#read(`weight.${name}`, data))
    this.#isReadBack = true
  }

  async dispose(): Promise<void> {
    free(new Set([...this.#there.values(), ...this.#kept]))
    this.#there.clear()
    for (const programs of Object.values(this.#programs)) await programs.dispose()
  }

  /** Joint norm of all gradients. The device sums each tensor's squares; this adds the sums in float64. */
  async #norm(sums: ReadonlyMap<string, DeviceTensor>): Promise<number> {
    let list: Feed = tensor('f32', new Float32Array(1), [1])
    try {
      for (const x of sums.values()) {
        const { longer } = await this.#programs.squares.run(x.shape.length, { x, list })
        if (isOnDevice(list)) list.dispose()
        list = longer as DeviceTensor
      }
      const { data } = isOnDevice(list) ? await fromDevice(this.#device, list) : list
      return Math.sqrt((data as Float32Array).reduce((sum, x) => sum + x, 0))
    } finally {
      if (isOnDevice(list)) list.dispose()
    }
  }

  async #step(name: string, gradient: DeviceTensor, shared: Readonly<Record<string, Feed>>): Promise<void> {
    const [weight, { mean, square }] = [await this.weight(name), await this.#moments(name)]
    const next = await this.#programs.step.run(weight.shape.length, { weight, gradient, mean, square, ...shared })
    this.#replace(`weight.${name}`, next.nextWeight)
    this.#replace(`mean.${name}`, next.nextMean)
    this.#replace(`square.${name}`, next.nextSquare)
  }

  async #moments(name: string): Promise<{ mean: DeviceTensor; square: DeviceTensor }> {
    const weight = await this.weight(name)
    const moment = (kind: string) =>
      this.#once(`${kind}.${name}`, async () => {
        const saved = this.#loaded?.get(`${kind}.${name}`)
        if (saved) return this.#copied(saved, weight.shape)
        return (await this.#programs.zeros.run(weight.shape.length, { x: weight })).y as DeviceTensor
      })
    return { mean: await moment('mean'), square: await moment('square') }
  }

  async #copied(data: Float32Array, shape: readonly number[]): Promise<DeviceTensor> {
    return (await toDevice(this.#device, { x: tensor('f32', data, shape) })).x as DeviceTensor
  }

  async #once(name: string, make: () => Promise<DeviceTensor>): Promise<DeviceTensor> {
    const known = this.#there.get(name)
    if (known) return known
    const made = await make()
    this.#there.set(name, made)
    return made
  }

  async #read(name: string, absent: Float32Array): Promise<Float32Array> {
    const x = this.#there.get(name)
    return x ? ((await fromDevice(this.#device, x)).data as Float32Array) : absent
  }

  #replace(name: string, by: DeviceTensor | undefined): void {
    const old = this.#there.get(name)
    if (old && !this.#kept.has(old)) old.dispose()
    if (by) this.#there.set(name, by)
    else this.#there.delete(name)
  }
}

function free(tensors: Iterable<DeviceTensor>): void {
  for (const x of tensors) x.dispose()
}

const unknown = (name: string) => {
  throw new RangeError(`no trained tensor ${name}`)
}

/** Some tensors took the step and others did not: only the last saved policy is valid. */
const halfway = (cause: SessionMemoryError) =>
  new DeviceError(`the device had no memory left for the optimizer's step: ${cause.message}`, {
    hint: 'Train an adapter instead of the weights, or take a device with more memory.',
    cause,
  })
