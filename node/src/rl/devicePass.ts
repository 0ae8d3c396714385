import type { DeviceTensor } from '#engine/deviceTensor.ts'
import type { Feed, Tensor } from '#engine/session.ts'
import { tensor } from '#engine/session.ts'
import { fromDevice, toDevice } from '#engine/toDevice.ts'
import type { ScoredSequence } from '#model/batch.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { Weights } from '#model/weights.ts'
import { deviceFeeds } from './deviceFeeds.ts'
import { type DeviceHeadRun, deviceHeadLogprobs, runDeviceHead } from './deviceHead.ts'
import { addEmbeddingGradient, embed } from './embedding.ts'
import { addTo, type GradientPass, type GradientSums, type ScoredPolicy } from './gradientPass.ts'
import { layeredFeeds, nameIn, withoutAdapter } from './layeredFeeds.ts'
import { type LayeredPassOptions, openLayeredSessions } from './layeredSessions.ts'
import { layOut } from './layOut.ts'
import { lossFeeds } from './lossFeeds.ts'
import type { LossTarget } from './policyBatch.ts'
import { gradientName, type LossKind } from './trainingGraphs.ts'

type Kept = Record<string, DeviceTensor>

/** What is the same for all layers of a part. */
interface Part {
  readonly afterPrompt: boolean
  readonly shared: Readonly<Record<string, Feed>>
}

/**
 * A layered pass on a device that keeps tensors: frozen weights are copied there once, what is trained once a part, and activations and their
 * gradients never leave it. Token ids, the embedded tokens, rewards, losses and the gradients of what is trained cross.
 */
export async function createDevicePass(
  config: DecoderConfig,
  weights: Weights,
  options: LayeredPassOptions,
): Promise<GradientPass> {
  const { trained, headRows, device = 'webgpu' } = options
  const sessions = openLayeredSessions(config, options)
  const host = layeredFeeds(config, weights, options)
  const feeds = deviceFeeds(device, host, trained)

  async function head(loss: LossKind | null): Promise<DeviceHeadRun> {
    const session = await sessions.head(loss)
    return { device, session, own: await feeds.ofHead(session), headRows }
  }

  /** Lays sequences out, embeds their tokens, and copies what all layers share. */
  async function begin(sequences: readonly ScoredSequence[], live: Live) {
    const { ids, targets, afterPrompt, shared } = layOut(config, sequences)
    const x = new Float32Array(ids.data.length * config.hiddenSize)
    embed(host.tensors, ids.data, x)
    const tables = Object.entries(shared).filter(([, { dtype }]) => dtype === 'f32')
    const there = await toDevice(device, {
      ...Object.fromEntries(tables),
      x: tensor('f32', x, [...ids.shape, config.hiddenSize]),
    })
    for (const copy of Object.values(there)) live.add(copy)
    const { x: embedded, ...copied } = there as Kept & { x: DeviceTensor }
    const part: Part = { afterPrompt, shared: { ...shared, ...copied } }
    return { ids, targets, part, x: embedded }
  }

  /** Runs a layer backwards, and adds its gradients to the sums. */
  async function backward(
    layer: number,
    { afterPrompt, shared }: Part,
    values: Record<string, Feed>,
    sums: GradientSums,
  ) {
    const models = await sessions.layer(layer, afterPrompt)
    const fed = needed(models.backward.inputs, { ...values, ...shared, ...(await feeds.ofLayer(models, layer)) })
    const owned = [...models.tensors].filter(
      ([name, { trained: isTrained }]) => isTrained && trained(nameIn(name, layer)),
    )
    const wanted = owned.map(([name]) => gradientName(name))
    const { results, kept } = await models.backwardSession.runKeeping(fed, ['dx', ...wanted])
    for (const [name] of owned) addTo(sums, nameIn(name, layer), (results[gradientName(name)] as Tensor<'f32'>).data)
    return kept.dx as DeviceTensor
  }

  /** All layers forwards. What they keep comes out by layer, each with its input. */
  async function forwards(x: DeviceTensor, { afterPrompt, shared }: Part, live: Live) {
    const kept: Kept[] = []
    let hidden = x
    for (let layer = 0; layer < config.layers; layer++) {
      const models = await sessions.layer(layer, afterPrompt)
      const fed = needed(models.forward.inputs, { x: hidden, ...shared, ...(await feeds.ofLayer(models, layer)) })
      const given = await models.forwardSession.runKeeping(fed, [...models.forward.outputs.keys()])
      for (const value of Object.values(given.kept)) live.add(value)
      const { y, ...values } = given.kept as Kept & { y: DeviceTensor }
      kept.push({ ...values, x: hidden })
      hidden = y
    }
    return { hidden, kept }
  }

  async function run(loss: LossKind, batch: readonly LossTarget[], sums: GradientSums, live: Live): Promise<number> {
    const { ids, targets, part, x } = await begin(batch, live)
    const { hidden, kept } = await forwards(x, part, live)
    const result = await runDeviceHead(await head(loss), loss, hidden, { targets, ...lossFeeds(loss, batch) })
    let dy = live.add(result.dhidden)
    for (let layer = config.layers - 1; layer >= 0; layer--) {
      const values = kept[layer] as Kept
      const dx = live.add(await backward(layer, part, { ...values, dy }, sums))
      live.free(...Object.values(values), dy)
      dy = dx
    }
    if (trained(EMBEDDING)) {
      const dx = (await fromDevice(device, dy)).data as Float32Array
      addEmbeddingGradient(result.gradients, EMBEDDING, config.vocabSize * config.hiddenSize, ids.data, dx)
    }
    for (const [name, gradient] of result.gradients) addTo(sums, name, gradient)
    return result.loss
  }

  async function logprobs(of: ScoredPolicy, batch: readonly ScoredSequence[], live: Live): Promise<Float32Array> {
    const { targets, part, x } = await begin(batch, live)
    let hidden = x
    for (let layer = 0; layer < config.layers; layer++) {
      const models = await sessions.layer(layer, part.afterPrompt)
      const own = of === 'base' ? zeroAdapter(host.ofLayer(models, layer)) : {}
      const all = { x: hidden, ...part.shared, ...(await feeds.ofLayer(models, layer)), ...own }
      const { kept } = await models.forwardSession.runKeeping(needed(models.forward.inputs, all), ['y'])
      live.free(hidden)
      hidden = live.add(kept.y as DeviceTensor)
    }
    return deviceHeadLogprobs(await head(null), hidden, targets)
  }

  /** Runs a part. Nothing of it stays on the device, whether it fails or not. */
  async function within<T>(work: (live: Live) => Promise<T>): Promise<T> {
    const live = liveTensors()
    try {
      return await work(live)
    } finally {
      live.freeAll()
      feeds.endPart()
    }
  }

  return {
    run: (loss, batch, sums) => within(live => run(loss, batch, sums, live)),
    logprobs: (of, batch) => within(live => logprobs(of, batch, live)),
    async dispose() {
      feeds.dispose()
      await sessions.dispose()
    },
  }
}

const EMBEDDING = 'model.embed_tokens.weight'

const needed = (names: ReadonlyMap<string, unknown>, feeds: Readonly<Record<string, Feed>>) =>
  Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)))

/** Those factors of a layer that make an adapter add zero. */
const zeroAdapter = (own: Record<string, Tensor>) =>
  Object.fromEntries(Object.entries(withoutAdapter(own)).filter(([name]) => name.endsWith('.lora_B.weight')))

/** Tensors of a part that are on the device. */
interface Live {
  add<T extends DeviceTensor>(tensor: T): T
  free(...tensors: readonly DeviceTensor[]): void
  freeAll(): void
}

function liveTensors(): Live {
  const live = new Set<DeviceTensor>()
  const free = (...tensors: readonly DeviceTensor[]) => {
    for (const tensor of tensors) {
      tensor.dispose()
      live.delete(tensor)
    }
  }
  return {
    add(tensor) {
      live.add(tensor)
      return tensor
    },
    free,
    freeAll: () => free(...live),
  }
}
