import { createSession, type Session, type Tensor, tensor } from '#engine/session.ts'
import type { ScoredSequence } from '#model/batch.ts'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import { integerTensors } from '#model/integerParts.ts'
import type { BasePrecision } from '#model/loraConfig.ts'
import { floatPartTensors } from '#model/vocabularyParts.ts'
import type { Weights } from '#model/weights.ts'
import { ActivationStore } from './activationStore.ts'
import { addEmbeddingGradient, embed } from './embedding.ts'
import { addTo, type GradientPass, type GradientPassOptions, type GradientSums } from './gradientPass.ts'
import { headModel, headScoringModel } from './headModel.ts'
import { type KeptActivations, type LayerModels, layerModels, loraOfLayer } from './layerModels.ts'
import { type LaidOut, layOut } from './layOut.ts'
import { lossFeeds } from './lossFeeds.ts'
import { gradientName, type LossKind } from './trainingGraphs.ts'

export interface LayeredPassOptions extends GradientPassOptions {
  readonly kept: KeptActivations
  /** Of the products with the frozen base of an adapter; float32. */
  readonly precision?: BasePrecision
  /** Rows of the output layer at a time: [rows, vocabulary] is the largest array of all where that layer is trained. */
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
  const { threads, device, adapter, trained, temperature, headRows, precision = 'float32' } = options
  const layers = new Map<string, Promise<LayerSessions>>()
  const loras = Array.from({ length: config.layers }, (_, layer) =>
    adapter ? loraOfLayer(config, adapter.config, layer) : undefined,
  )
  /** Made when first needed: a part of sequences that share a prompt has other models than one of any sequences. */
  const sessionsOf = (layer: number, afterPrompt: boolean): Promise<LayerSessions> => {
    const last = layer === config.layers - 1
    const lora = loras[layer]
    const key = `${last} ${afterPrompt} ${lora?.targets}`
    let made = layers.get(key)
    if (!made) {
      made = createLayer(layerModels(config, { lora, last, afterPrompt, kept: options.kept, precision, device }))
      layers.set(key, made)
      made.catch(() => layers.delete(key)) // the caller has the error
    }
    return made
  }
  const createLayer = async (models: LayerModels): Promise<LayerSessions> => ({
    ...models,
    forwardSession: await createSession(models.forward, { threads, sumsInProducts: false }),
    backwardSession: await createSession(models.backward, { threads, sumsInProducts: false }),
  })
  const heads = new Map<string, Promise<Session>>()
  /** The output layer with a loss, or without one for log-probabilities alone. */
  const headSession = (loss: LossKind | null) => {
    const key = JSON.stringify(loss)
    let session = heads.get(key)
    if (!session) {
      const model = loss
        ? headModel(config, loss, { temperature, trained, precision, device })
        : headScoringModel(config, { temperature, precision, device })
      session = createSession(model, { threads, arena: precision === 'int8', sumsInProducts: false })
      heads.set(key, session)
      session.catch(() => heads.delete(key)) // the caller has the error
    }
    return session
  }
  const headFeeds = ({ model }: Session) => Object.fromEntries([...tensors].filter(([name]) => model.inputs.has(name)))
  const store = new ActivationStore()
  const base = precision === 'int8' ? integerTensors(config, weights) : withParts(config, weights)
  const tensors = new Map([...base, ...floatTensors(adapter?.factors ?? new Map())])
  const feed = (name: string) => tensors.get(name) as Tensor
  const ofLayer = (name: string, layer: number) => name.replace('.0.', `.${layer}.`)
  const layerFeeds = ({ tensors: names }: LayerModels, layer: number) =>
    Object.fromEntries([...names.keys()].map(name => [name, feed(ofLayer(name, layer))]))

  /** Runs a layer forwards; its output and what is kept of it lie in the store. */
  async function forward(layer: number, x: Tensor, { shared, lengths, afterPrompt }: LaidOut) {
    const models = await sessionsOf(layer, afterPrompt)
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
  async function backward(
    layer: number,
    { shared, afterPrompt }: LaidOut,
    values: Record<string, Tensor>,
    dx: Tensor,
    sums: GradientSums,
  ) {
    const models = await sessionsOf(layer, afterPrompt)
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
    const fed = picked(models.backward.inputs, { ...values, ...shared, ...layerFeeds(models, layer) })
    await models.backwardSession.run(fed, places)
    for (const [name, gradient] of fresh) addTo(sums, name, gradient)
  }

  /** Runs the output layer over the rows, some at a time, forwards and backwards. */
  async function runHead(loss: LossKind, hidden: Tensor, feeds: Record<string, Tensor>) {
    const session = await headSession(loss)
    const own = headFeeds(session)
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

  /** Lays sequences out, and embeds their tokens. */
  function begin(part: readonly ScoredSequence[]) {
    const { ids, targets, ...laidOut } = layOut(config, part)
    const x = store.place('x', [...ids.shape, config.hiddenSize], {})
    embed(tensors, ids.data, x.data as Float32Array)
    return { ids, targets, laidOut, x }
  }

  return {
    async run(loss, part, sums) {
      const { ids, targets, laidOut, x: embedded } = begin(part)
      const xs = [embedded]
      const kept: Record<string, Tensor>[] = []
      for (let layer = 0; layer < config.layers; layer++) {
        const result = await forward(layer, xs[layer] as Tensor, laidOut)
        xs.push(result.y)
        kept.push(result.kept)
      }
      const head = await runHead(loss, xs.at(-1) as Tensor, { targets, ...lossFeeds(loss, part) })
      let dy = head.dhidden
      for (let layer = config.layers - 1; layer >= 0; layer--) {
        const x = xs[layer] as Tensor
        const dx = store.place(`dx.${layer % 2}`, x.shape, {})
        await backward(layer, laidOut, { x, dy, ...kept[layer] }, dx, sums)
        dy = dx
      }
      if (trained(EMBEDDING)) {
        const elements = config.vocabSize * config.hiddenSize
        addEmbeddingGradient(head.gradients, EMBEDDING, elements, ids.data, dy.data as Float32Array)
      }
      for (const [name, gradient] of head.gradients) addTo(sums, name, gradient)
      return head.loss
    },
    async logprobs(of, part) {
      const { targets, laidOut, x: embedded } = begin(part)
      const { lengths, shared, afterPrompt } = laidOut
      let x = embedded
      for (let layer = 0; layer < config.layers; layer++) {
        const models = await sessionsOf(layer, afterPrompt)
        const y = store.place(`dx.${layer % 2}`, models.forward.outputs.get('y')?.shape ?? [], lengths)
        const own = layerFeeds(models, layer)
        const tensors = of === 'base' ? withoutAdapter(own) : own
        const feeds = { x, ...picked(models.forward.inputs, shared), ...tensors }
        await models.forwardSession.run(feeds, { y })
        x = y
      }
      const session = await headSession(null)
      const logprobs = new Float32Array(lengths.M as number)
      for (let from = 0; from < logprobs.length; from += headRows) {
        const to = Math.min(logprobs.length, from + headRows)
        const feeds = { hidden: rowsOf(x, from, to), targets: rowsOf(targets, from, to), ...headFeeds(session) }
        await session.run(feeds, { logprobs: tensor('f32', logprobs.subarray(from, to), [to - from]) })
      }
      return logprobs
    },
    async dispose(isFailed = false) {
      for (const layer of layers.values()) {
        const { forwardSession, backwardSession } = await layer
        await forwardSession.dispose()
        await backwardSession.dispose()
      }
      layers.clear()
      for (const session of heads.values()) await (await session).dispose()
      heads.clear()
      if (isFailed) store.release()
    },
  }
}

const EMBEDDING = 'model.embed_tokens.weight'

const floatTensors = (weights: Weights) =>
  new Map<string, Tensor>([...weights].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)]))

const withParts = (config: DecoderConfig, weights: Weights) =>
  new Map<string, Tensor>([...floatTensors(weights), ...floatPartTensors(config, weights)])

/** A layer's feeds with an adapter that adds zero. */
const withoutAdapter = (feeds: Record<string, Tensor>): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, t]) => {
      const isFactor = name.endsWith('.lora_B.weight')
      return [name, isFactor ? tensor('f32', new Float32Array(t.data.length), t.shape) : t]
    }),
  )

function picked(names: ReadonlyMap<string, unknown>, feeds: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)))
}

/** Rows of a tensor along its first axis, not copied. */
function rowsOf(whole: Tensor, from: number, to: number): Tensor {
  const width = whole.shape.slice(1).reduce((a, b) => a * b, 1)
  const data = whole.data.subarray(from * width, to * width)
  return { dtype: whole.dtype, data, shape: [to - from, ...whole.shape.slice(1)] } as Tensor
}
