import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import { toDevice } from '#engine/devices/toDevice.ts'
import type { Feed, Tensor } from '#engine/session.ts'
import { tensor } from '#engine/session.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { type LayeredFeeds, layeredFeeds, nameIn } from '../layered/layeredFeeds.ts'
import { type LayeredSessions, openLayeredSessions } from '../layered/layeredSessions.ts'
import { embed } from '../passes/embedding.ts'
import type { GradientPass, GradientSums, ScoredPolicy } from '../passes/gradientPass.ts'
import type { LayeredPassOptions } from '../passes/layeredPassOptions.ts'
import { layOut } from '../passes/layOut.ts'
import { type LiveTensors, withLiveTensors } from '../passes/liveTensors.ts'
import { lossFeeds } from '../passes/lossFeeds.ts'
import { withOwnLogprobs } from '../passes/ownLogprobs.ts'
import type { LossTarget } from '../passes/policyBatch.ts'
import { gradientName, type LossKind } from '../passes/trainingGraphs.ts'
import { deviceEmbedding } from './deviceEmbedding.ts'
import { type DeviceFeeds, deviceFeeds, type ResidentWeight } from './deviceFeeds.ts'
import { type BackwardResults, type DeviceHeadRun, deviceHeadLogprobs, runDeviceHead } from './deviceHead.ts'
import { addAllThere, addThere } from './deviceSums.ts'

type Kept = Record<string, DeviceTensor>

/** Values that all layers of a part share. */
interface Part {
  readonly afterPrompt: boolean
  readonly shared: Readonly<Record<string, Feed>>
}

/**
 * A layered pass on a device that keeps tensors: frozen weights are copied there once, and activations and all gradients never leave it. Token ids,
 * rewards and losses are copied, as are embedded tokens if their table is not on the device, and, once per part, trained tensors that are not
 * resident.
 *
 * @param resident - returns trained tensors that are on the device.
 */
export async function createDevicePass(
  config: DecoderConfig,
  weights: Weights,
  options: LayeredPassOptions,
  resident?: ResidentWeight,
): Promise<GradientPass<DeviceTensor>> {
  const pass = new DevicePass(config, weights, options, resident)
  return {
    run: (loss, batch, sums) => pass.part(live => pass.run(loss, batch, sums, live)),
    logprobs: (of, batch) => pass.part(live => pass.logprobs(of, batch, live)),
    dispose: () => pass.dispose(),
  }
}

class DevicePass {
  readonly #config: DecoderConfig
  readonly #device: Device
  readonly #headRows: number
  readonly #trained: (name: string) => boolean
  readonly #sessions: LayeredSessions
  /** Weights and factors in this process's memory. */
  readonly #host: LayeredFeeds
  readonly #feeds: DeviceFeeds

  constructor(
    config: DecoderConfig,
    weights: Weights,
    options: LayeredPassOptions,
    resident: ResidentWeight | undefined,
  ) {
    this.#config = config
    this.#device = options.device ?? 'webgpu'
    this.#headRows = options.headRows
    this.#trained = options.trained
    this.#sessions = openLayeredSessions(config, options)
    this.#host = layeredFeeds(config, weights, options)
    this.#feeds = deviceFeeds(this.#device, this.#host, { trained: options.trained, resident })
  }

  async part<T>(work: (live: LiveTensors) => Promise<T>): Promise<T> {
    try {
      return await withLiveTensors(work)
    } finally {
      this.#feeds.endPart()
    }
  }

  async run(
    loss: LossKind,
    batch: readonly LossTarget[],
    sums: GradientSums<DeviceTensor>,
    live: LiveTensors,
  ): Promise<number> {
    const { ids, targets, part, x } = await this.#begin(batch, live)
    const { hidden, kept } = await this.#forwards(x, part, live)
    const given = await withOwnLogprobs(batch, async () => deviceHeadLogprobs(await this.#head(null), hidden, targets))
    const feeds = { targets, ...lossFeeds(loss, given) }
    const result = await runDeviceHead(await this.#head(loss), loss, { hidden, feeds }, { sums, live })
    let dy = result.dhidden
    for (let layer = this.#config.layers - 1; layer >= 0; layer--) {
      const values = kept[layer] as Kept
      const dx = await this.#backward(layer, part, { ...values, dy }, { sums, live })
      live.free(...Object.values(values), dy)
      dy = dx
    }
    if (this.#trained(EMBEDDING)) {
      const table = (await this.#feeds.of(EMBEDDING)) as DeviceTensor
      const gradient = await deviceEmbedding(this.#device).gradient(table, ids, dy)
      await addThere(this.#device, sums, EMBEDDING, gradient)
    }
    return result.loss
  }

  async logprobs(of: ScoredPolicy, batch: readonly ScoredSequence[], live: LiveTensors): Promise<Float32Array> {
    const { targets, part, x } = await this.#begin(batch, live)
    let hidden = x
    for (let layer = 0; layer < this.#config.layers; layer++) {
      const models = await this.#sessions.layer(layer, part.afterPrompt)
      const all = { x: hidden, ...part.shared, ...(await this.#feeds.ofLayer(models, layer, of)) }
      const { kept } = await models.forwardSession.runKeeping(needed(models.forward.inputs, all), ['y'])
      live.free(hidden)
      hidden = live.add(kept.y as DeviceTensor)
    }
    return deviceHeadLogprobs(await this.#head(null), hidden, targets)
  }

  async #head(loss: LossKind | null): Promise<DeviceHeadRun> {
    const session = await this.#sessions.head(loss)
    return { device: this.#device, session, own: await this.#feeds.ofHead(session), headRows: this.#headRows }
  }

  /** Lays sequences out, embeds their tokens, and copies what all layers share. */
  async #begin(sequences: readonly ScoredSequence[], live: LiveTensors) {
    const { ids, targets, afterPrompt, shared } = layOut(this.#config, sequences)
    const tables = Object.entries(shared).filter(([, { dtype }]) => dtype === 'f32')
    const copied = await toDevice(this.#device, Object.fromEntries(tables))
    for (const copy of Object.values(copied)) live.add(copy)
    const part: Part = { afterPrompt, shared: { ...shared, ...copied } }
    return { ids, targets, part, x: live.add(await this.#embed(ids)) }
  }

  /** Embeds tokens on the device if the table is there (it is trained, or is also the output layer), otherwise in this process. */
  async #embed(ids: Tensor<'i64'>): Promise<DeviceTensor> {
    const isThere = this.#host.tensors.has(EMBEDDING) && (this.#trained(EMBEDDING) || this.#config.tieWordEmbeddings)
    if (isThere) return deviceEmbedding(this.#device).rows((await this.#feeds.of(EMBEDDING)) as DeviceTensor, ids)
    const x = new Float32Array(ids.data.length * this.#config.hiddenSize)
    embed(this.#host.tensors, ids.data, x)
    const shape = [...ids.shape, this.#config.hiddenSize]
    return (await toDevice(this.#device, { x: tensor('f32', x, shape) })).x as DeviceTensor
  }

  /** Runs all layers forwards. Returns each layer's kept values and its input. */
  async #forwards(x: DeviceTensor, { afterPrompt, shared }: Part, live: LiveTensors) {
    const kept: Kept[] = []
    let hidden = x
    for (let layer = 0; layer < this.#config.layers; layer++) {
      const models = await this.#sessions.layer(layer, afterPrompt)
      const fed = needed(models.forward.inputs, { x: hidden, ...shared, ...(await this.#feeds.ofLayer(models, layer)) })
      const given = await models.forwardSession.runKeeping(fed, [...models.forward.outputs.keys()])
      for (const value of Object.values(given.kept)) live.add(value)
      const { y, ...values } = given.kept as Kept & { y: DeviceTensor }
      kept.push({ ...values, x: hidden })
      hidden = y
    }
    return { hidden, kept }
  }

  /** Runs a layer backwards, and adds its gradients to the sums. */
  async #backward(
    layer: number,
    { afterPrompt, shared }: Part,
    values: Record<string, Feed>,
    { sums, live }: BackwardResults,
  ) {
    const models = await this.#sessions.layer(layer, afterPrompt)
    const fed = needed(models.backward.inputs, { ...values, ...shared, ...(await this.#feeds.ofLayer(models, layer)) })
    const owned = [...models.tensors].filter(
      ([name, { trained: isTrained }]) => isTrained && this.#trained(nameIn(name, layer)),
    )
    const wanted = owned.map(([name]) => gradientName(name))
    const { kept } = await models.backwardSession.runKeeping(fed, ['dx', ...wanted])
    const dx = live.add(kept.dx as DeviceTensor)
    const gradients = owned.map(([name]) => [nameIn(name, layer), kept[gradientName(name)] as DeviceTensor] as const)
    await addAllThere(this.#device, sums, gradients)
    return dx
  }

  async dispose(): Promise<void> {
    this.#feeds.dispose()
    await this.#sessions.dispose()
  }
}

const EMBEDDING = 'model.embed_tokens.weight'

const needed = (names: ReadonlyMap<string, unknown>, feeds: Readonly<Record<string, Feed>>) =>
  Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)))
