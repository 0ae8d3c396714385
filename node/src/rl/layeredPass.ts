import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import { decoderFeeds } from '#model/batch.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { Weights } from '#model/weights.ts'
import { ActivationStore } from './activationStore.ts'
import { addEmbeddingGradient, embed } from './embedding.ts'
import { addTo, type GradientPass, type GradientPassOptions, type GradientSums } from './gradientPass.ts'
import { headModel, isHeadWeight } from './headModel.ts'
import { type KeptActivations, type LayerModels, layerModels } from './layerModels.ts'
import { lossFeeds } from './lossFeeds.ts'
import { gradientName, type LossKind } from './trainingGraphs.ts'

export interface LayeredPassOptions extends GradientPassOptions {
  readonly kept: KeptActivations
  /** Rows of the output layer at a time, [rows, vocabulary] being the largest array of all. */
  readonly headRows: number
}

/** A layer's models with their sessions. */
interface LayerSessions extends LayerModels {
  readonly forwardSession: Session
  readonly backwardSession: Session
}

/**
 * A pass that runs layer by layer: only what the backward pass needs of each layer is kept, in memory that is used again for
 * every part of every batch. The loss and the gradients are those of the monolithic pass, bit for bit, where the output layer
 * runs in one piece.
 */
export async function createLayeredPass(
  config: DecoderConfig,
  weights: Weights,
  options: LayeredPassOptions,
): Promise<GradientPass> {
  const { threads, adapter, trained, temperature, headRows } = options
  const sessionsOf = async (last: boolean): Promise<LayerSessions> => {
    const models = layerModels(config, { lora: adapter?.config, last, kept: options.kept })
    return {
      ...models,
      forwardSession: await createSession(models.forward, { threads }),
      backwardSession: await createSession(models.backward, { threads }),
    }
  }
  const [inner, last] = [await sessionsOf(false), await sessionsOf(true)]
  const heads = new Map<string, Promise<Session>>()
  const headSession = (loss: LossKind) => {
    const key = JSON.stringify(loss)
    let session = heads.get(key)
    if (!session) {
      session = createSession(headModel(config, loss, { temperature, trained }), { threads })
      heads.set(key, session)
    }
    return session
  }
  const store = new ActivationStore()
  const tensors = new Map([...weights, ...(adapter?.factors ?? [])])
  const feed = (name: string) => {
    const { shape, data } = tensors.get(name) as { shape: readonly number[]; data: Float32Array }
    return tensor('f32', data, shape)
  }
  const ofLayer = (name: string, layer: number) => name.replace('.0.', `.${layer}.`)
  const layerFeeds = ({ tensors: names }: LayerModels, layer: number) =>
    Object.fromEntries([...names.keys()].map(name => [name, feed(ofLayer(name, layer))]))
  const modelsOf = (layer: number) => (layer === config.layers - 1 ? last : inner)

  /** Runs a layer forwards; its output and what is kept of it lie in the store. */
  async function forward(layer: number, x: Tensor, shared: Record<string, Tensor>, lengths: Lengths) {
    const models = modelsOf(layer)
    const places: Record<string, Tensor> = {
      y: store.place(`y.${layer}`, models.forward.outputs.get('y')?.shape ?? [], lengths),
    }
    for (const value of models.kept) places[value.name] = store.place(`${value.name}.${layer}`, value.shape, lengths)
    await models.forwardSession.run(
      { x, ...picked(models.forward.inputs, shared), ...layerFeeds(models, layer) },
      places,
    )
    const { y, ...kept } = places
    return { y: y as Tensor, kept }
  }

  /** Runs a layer backwards and adds its gradients to the sums. */
  async function backward(layer: number, feeds: Record<string, Tensor>, dx: Tensor, sums: GradientSums) {
    const models = modelsOf(layer)
    const places: Record<string, Tensor> = { dx }
    const fresh: [string, Float32Array][] = []
    for (const [name, { shape, trained: isTrained }] of models.tensors) {
      if (!isTrained) continue
      const own = ofLayer(name, layer)
      const isFirst = trained(own) && !sums.has(own)
      const place = store.place(isFirst ? `sum.${own}` : `gradient.${name}`, shape, {})
      places[gradientName(name)] = place
      if (trained(own)) fresh.push([own, place.data as Float32Array])
    }
    await models.backwardSession.run({ ...feeds, ...layerFeeds(models, layer) }, places)
    for (const [name, gradient] of fresh) addTo(sums, name, gradient)
  }

  /** Runs the output layer over the rows, some at a time, forwards and backwards. */
  async function runHead(loss: LossKind, hidden: Tensor, feeds: Record<string, Tensor>) {
    const session = await headSession(loss)
    const own = Object.fromEntries([...tensors.keys()].filter(n => isHeadWeight(config, n)).map(n => [n, feed(n)]))
    const rows = hidden.shape[0] as number
    const whole = loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
    const step = whole ? rows : Math.min(rows, headRows)
    const dhidden = store.place('dhidden', hidden.shape, {})
    const gradients: GradientSums = new Map()
    let total = 0
    for (let from = 0; from < rows; from += step) {
      const to = Math.min(rows, from + step)
      const part = (t: Tensor) => (whole || t.shape[0] !== rows ? t : rowsOf(t, from, to))
      const chunk = Object.fromEntries(Object.entries({ hidden, ...feeds }).map(([name, t]) => [name, part(t)]))
      const outputs = await session.run(
        { ...chunk, ...own },
        Object.fromEntries([...session.model.outputs.keys()].map(n => [n, n === 'dhidden' ? part(dhidden) : null])),
      )
      total += (outputs.loss as Tensor<'f32'>).data[0] as number
      for (const name of Object.keys(own)) {
        const gradient = outputs[gradientName(name)] as Tensor<'f32'> | undefined
        if (gradient) addTo(gradients, name, gradient.data)
      }
    }
    return { loss: total, dhidden, gradients }
  }

  return {
    async run(loss, part, sums) {
      const { feeds } = decoderFeeds(config, part)
      const { ids, rows, targets, cos, sin } = feeds as Record<'ids' | 'rows' | 'targets' | 'cos' | 'sin', Tensor>
      const [B, T] = ids.shape as [number, number]
      const lengths: Lengths = { B, T, M: rows.shape[0] as number }
      const shared = { cos, sin, rows }
      const embedding = tensors.get(EMBEDDING)?.data as Float32Array
      const xs = [store.place('x', [B, T, config.hiddenSize], {})]
      embed(embedding, ids.data as BigInt64Array, (xs[0] as Tensor<'f32'>).data)
      const kept: Record<string, Tensor>[] = []
      for (let layer = 0; layer < config.layers; layer++) {
        const result = await forward(layer, xs[layer] as Tensor, shared, lengths)
        xs.push(result.y)
        kept.push(result.kept)
      }
      const head = await runHead(loss, xs.at(-1) as Tensor, { targets, ...lossFeeds(loss, part) })
      let dy = head.dhidden
      for (let layer = config.layers - 1; layer >= 0; layer--) {
        const x = xs[layer] as Tensor
        const dx = store.place(`dx.${layer % 2}`, x.shape, {})
        const fed = picked(modelsOf(layer).backward.inputs, { x, dy, ...shared, ...kept[layer] })
        await backward(layer, fed, dx, sums)
        dy = dx
      }
      if (trained(EMBEDDING)) {
        const { data } = ids as Tensor<'i64'>
        addEmbeddingGradient(head.gradients, EMBEDDING, embedding.length, data, dy.data as Float32Array)
      }
      for (const [name, gradient] of head.gradients) addTo(sums, name, gradient)
      return head.loss
    },
    async dispose() {
      for (const { forwardSession, backwardSession } of [inner, last]) {
        await forwardSession.dispose()
        await backwardSession.dispose()
      }
      for (const session of heads.values()) await (await session).dispose()
      heads.clear()
    },
  }
}

const EMBEDDING = 'model.embed_tokens.weight'

type Lengths = Readonly<Record<string, number>>

function picked(names: ReadonlyMap<string, unknown>, feeds: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)))
}

/** Rows of a tensor along its first axis, not copied. */
function rowsOf(whole: Tensor, from: number, to: number): Tensor {
  const width = whole.shape.slice(1).reduce((a, b) => a * b, 1)
  const data = whole.data.subarray(from * width, to * width)
  return { dtype: whole.dtype, data, shape: [to - from, ...whole.shape.slice(1)] } as Tensor
}
