import { type Tensor, tensor } from '#engine/session.ts'
import type { Shape } from '#engine/value.ts'
import type { ScoredSequence } from '#model/decoder/batch.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { addEmbeddingGradient, embed } from '../passes/embedding.ts'
import { addTo, type GradientPass, type GradientSums } from '../passes/gradientPass.ts'
import type { LayeredPassOptions } from '../passes/layeredPassOptions.ts'
import { type LaidOut, layOut } from '../passes/layOut.ts'
import { lossFeeds } from '../passes/lossFeeds.ts'
import { withOwnLogprobs } from '../passes/ownLogprobs.ts'
import { gradientName, type LossKind } from '../passes/trainingGraphs.ts'
import { layeredFeeds, nameIn, picked, withoutAdapter } from './layeredFeeds.ts'
import { type HeadRun, headLogprobs, runHead } from './layeredHead.ts'
import { openLayeredSessions } from './layeredSessions.ts'

/**
 * A pass that runs layer by layer: it keeps only the values that each layer's backward pass needs, in memory that is reused for
 * every part of every batch. The loss and the gradients are those of the monolithic pass, bit for bit, where the output layer
 * runs in one piece.
 */
export async function createLayeredPass(
  config: DecoderConfig,
  weights: Weights,
  options: LayeredPassOptions,
): Promise<GradientPass> {
  const layers = openLayers(config, weights, options)
  const { store, begin, forward, backward, head } = layers
  return {
    async run(loss, part, sums) {
      const { ids, targets, laidOut, x: embedded } = begin(part)
      const xs = [embedded]
      const kept: Record<string, Tensor>[] = []
      for (let layer = 0; layer < config.layers; layer++) {
        const forwards = await forward(layer, xs[layer] as Tensor, laidOut)
        xs.push(forwards.y)
        kept.push(forwards.kept)
      }
      const hidden = xs.at(-1) as Tensor
      let dy = store.place('dhidden', hidden.shape, {})
      const own = async () => headLogprobs(await head(null), hidden, targets, laidOut.lengths.M as number)
      const given = await withOwnLogprobs(part, own)
      const result = await runHead(await head(loss), loss, { hidden, targets, ...lossFeeds(loss, given) }, dy)
      for (let layer = config.layers - 1; layer >= 0; layer--) {
        const x = xs[layer] as Tensor
        const dx = store.place(`dx.${layer % 2}`, x.shape, {})
        await backward(layer, laidOut, { x, dy, ...kept[layer] }, dx, sums)
        dy = dx
      }
      if (options.trained(EMBEDDING)) {
        const elements = config.vocabSize * config.hiddenSize
        addEmbeddingGradient(result.gradients, EMBEDDING, elements, ids.data, dy.data as Float32Array)
      }
      for (const [name, gradient] of result.gradients) addTo(sums, name, gradient)
      return result.loss
    },
    async logprobs(of, part) {
      const { targets, laidOut, x: embedded } = begin(part)
      let x = embedded
      for (let layer = 0; layer < config.layers; layer++) x = await layers.infer(of, layer, x, laidOut)
      return headLogprobs(await head(null), x, targets, laidOut.lengths.M as number)
    },
    async dispose(isFailed = false) {
      await layers.dispose()
      if (isFailed) store.release()
    },
  }
}

/** One layer at a time, each over the same store of activations. */
function openLayers(config: DecoderConfig, weights: Weights, options: LayeredPassOptions) {
  const { trained, headRows } = options
  const sessions = openLayeredSessions(config, options)
  const feeds = layeredFeeds(config, weights, options)
  const store = new ActivationStore()

  /** Runs a layer forwards; its output and its kept values are in the store. */
  async function forward(layer: number, x: Tensor, { shared, lengths, afterPrompt }: LaidOut) {
    const models = await sessions.layer(layer, afterPrompt)
    const places: Record<string, Tensor> = {
      y: store.place(`y.${layer}`, models.forward.outputs.get('y')?.shape ?? [], lengths),
    }
    for (const value of models.kept) places[value.name] = store.place(`${value.name}.${layer}`, value.shape, lengths)
    await models.forwardSession.run(
      { x, ...picked(models.forward.inputs, shared), ...feeds.ofLayer(models, layer) },
      places,
    )
    const { y, ...kept } = places
    return { y: y as Tensor, kept }
  }

  /** Runs a layer backwards and adds its gradients to the sums. */
  async function backward(
    layer: number,
    { shared, afterPrompt }: LaidOut,
    values: Record<string, Tensor>,
    dx: Tensor,
    sums: GradientSums,
  ) {
    const models = await sessions.layer(layer, afterPrompt)
    const places: Record<string, Tensor> = { dx }
    const fresh: [string, Float32Array][] = []
    for (const [name, { shape, trained: isTrained }] of models.tensors) {
      if (!isTrained) continue
      const own = nameIn(name, layer)
      const isFirst = trained(own) && !sums.has(own)
      const place = store.place(isFirst ? `sum.${own}` : `gradient.${name}`, shape, {})
      places[gradientName(name)] = place
      if (trained(own)) fresh.push([own, place.data as Float32Array])
    }
    const fed = picked(models.backward.inputs, { ...values, ...shared, ...feeds.ofLayer(models, layer) })
    await models.backwardSession.run(fed, places)
    for (const [name, gradient] of fresh) addTo(sums, name, gradient)
  }

  /** Runs a layer forwards and keeps nothing; its output stays in the store until the layer after next runs. */
  async function infer(of: 'base' | 'trained', layer: number, x: Tensor, { shared, lengths, afterPrompt }: LaidOut) {
    const models = await sessions.layer(layer, afterPrompt)
    const y = store.place(`dx.${layer % 2}`, models.forward.outputs.get('y')?.shape ?? [], lengths)
    const own = feeds.ofLayer(models, layer)
    const tensors = of === 'base' ? withoutAdapter(own) : own
    await models.forwardSession.run({ x, ...picked(models.forward.inputs, shared), ...tensors }, { y })
    return y
  }

  /** The output layer, with a loss or for log-probabilities alone. */
  async function head(loss: LossKind | null): Promise<HeadRun> {
    const session = await sessions.head(loss)
    return { session, own: feeds.ofHead(session), headRows }
  }

  /** Lays sequences out, and embeds their tokens. */
  function begin(part: readonly ScoredSequence[]) {
    const { ids, targets, ...laidOut } = layOut(config, part)
    const x = store.place('x', [...ids.shape, config.hiddenSize], {})
    embed(feeds.tensors, ids.data, x.data as Float32Array)
    return { ids, targets, laidOut, x }
  }

  return { store, begin, forward, backward, infer, head, dispose: sessions.dispose }
}

const EMBEDDING = 'model.embed_tokens.weight'

/**
 * Memory for a pass, by name, reused by every run and grown if a run needs more: the garbage collector would free such large arrays too
 * late.
 */
class ActivationStore {
  readonly #arrays = new Map<string, Float32Array<ArrayBuffer>>()

  /** The tensor of a name, with the elements of the last run. Symbolic dimensions of `shape` take their lengths from `lengths`. */
  place(name: string, shape: Shape, lengths: Readonly<Record<string, number>>): Tensor {
    const bound = shape.map(dim => (typeof dim === 'number' ? dim : lengthOf(dim, lengths)))
    const count = bound.reduce((a, b) => a * b, 1)
    let array = this.#arrays.get(name)
    if (!array || array.length < count) {
      array = new Float32Array(count)
      this.#arrays.set(name, array)
    }
    return tensor('f32', array.subarray(0, count), bound)
  }

  /** Frees the memory at once: the garbage collector does not know that the runtime lacks memory. Placed tensors become invalid. */
  release(): void {
    for (const array of this.#arrays.values()) array.buffer.transfer(0)
    this.#arrays.clear()
  }
}

function lengthOf(dim: string, lengths: Readonly<Record<string, number>>): number {
  return dim.split('*').reduce((product, name) => product * (lengths[name] ?? Number(name)), 1)
}
