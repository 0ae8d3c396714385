import { type Session, type Tensor, tensor } from '#engine/session.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { floatPartTensors } from '#model/decoder/vocabularyParts.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { integerTensors } from '#model/quantization/integerParts.ts'
import type { LayeredPassOptions } from '../passes/layeredPassOptions.ts'
import type { LayerModels } from './layerModels.ts'

export type Feeds = Record<string, Tensor>

/** Weights, and an adapter's factors, as the models of a pass take them. */
export interface LayeredFeeds {
  /** All of them, by their own names. */
  readonly tensors: ReadonlyMap<string, Tensor>
  ofLayer(models: LayerModels, layer: number): Feeds
  ofHead(session: Session): Feeds
}

export function layeredFeeds(
  config: DecoderConfig,
  weights: Weights,
  { adapter, precision = 'float32' }: Pick<LayeredPassOptions, 'adapter' | 'precision'>,
): LayeredFeeds {
  const base = precision === 'int8' ? integerTensors(config, weights) : withParts(config, weights)
  const tensors = new Map([...base, ...floatTensors(adapter?.factors ?? new Map())])
  return {
    tensors,
    ofLayer: (models, layer) =>
      Object.fromEntries([...models.tensors.keys()].map(name => [name, tensors.get(nameIn(name, layer)) as Tensor])),
    ofHead: ({ model }) => Object.fromEntries([...tensors].filter(([name]) => model.inputs.has(name))),
  }
}

/** The name of a layer's tensor; its models have those of layer 0. */
export const nameIn = (name: string, layer: number): string => name.replace('.0.', `.${layer}.`)

/** A layer's feeds with an adapter that adds zero. */
export const withoutAdapter = (feeds: Feeds): Feeds =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, t]) => {
      const isFactor = name.endsWith('.lora_B.weight')
      return [name, isFactor ? tensor('f32', new Float32Array(t.data.length), t.shape) : t]
    }),
  )

export function picked(names: ReadonlyMap<string, unknown>, feeds: Readonly<Feeds>): Feeds {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)))
}

/** Rows of a tensor along its first axis, not copied. */
export function rowsOf(whole: Tensor, from: number, to: number): Tensor {
  const width = whole.shape.slice(1).reduce((a, b) => a * b, 1)
  const data = whole.data.subarray(from * width, to * width)
  return { dtype: whole.dtype, data, shape: [to - from, ...whole.shape.slice(1)] } as Tensor
}

const floatTensors = (weights: Weights) =>
  new Map<string, Tensor>([...weights].map(([name, { shape, data }]) => [name, tensor('f32', data, shape)]))

const withParts = (config: DecoderConfig, weights: Weights) =>
  new Map<string, Tensor>([...floatTensors(weights), ...floatPartTensors(config, weights)])
