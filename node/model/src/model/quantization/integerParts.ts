import { type Tensor, tensor } from '#engine/session.ts'
import { add, flattenRows, integerLinear, reshape } from '#engine/tensor.ts'
import type { Shape, Value } from '#engine/value.ts'
import type { DecoderParts, WeightValues } from '../decoder/decoder.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import type { Weights } from '../decoder/weights.ts'
import { type IntegerShape, outputLayerShapes, outputLayerTensors } from './integerOutputLayer.ts'
import { quantizeBytes, quantizeRows } from './quantize.ts'

/** Whether a weight is a matrix of a layer: these are kept in fewer bits. */
export const isLayerMatrix = (name: string, shape: Shape) => shape.length === 2 && name.startsWith('model.layers.')

/**
 * A decoder's parts with the matrices of its layers in 8 bits: products are sums of integers, with one scale for each row of
 * activations and one for each output. Gradients pass through the rounding.
 *
 * @param values - the weights, of a layer's matrices `<module>.weight` i8 [in, out] and `<module>.scale` [out].
 */
export function integerParts(values: WeightValues): DecoderParts {
  const weight = (name: string) => {
    const value = values.get(name)
    if (!value) throw new Error(`the graph has no weight named ${name}`)
    return value
  }
  return {
    weight,
    project(x, name) {
      const codes = weight(`${name}.weight`)
      const rows = integerLinear(flattenRows(x), codes, weight(`${name}.scale`), true)
      const y = reshape(rows, [...x.shape.slice(0, -1), codes.shape[1] as number])
      const bias: Value | undefined = values.get(`${name}.bias`)
      return bias ? add(y, bias) : y
    },
  }
}

/**
 * Types and shapes of the tensors that stand for a decoder's weights: vectors as they are; a layer's matrices `<module>.weight`
 * i8 [in, out] and `<module>.scale` [out]; the embedding `.rows` i8 [V, hidden] and `.scale` [V]; and those of `outputLayerShapes`.
 *
 * @param codes - see `outputLayerShapes`.
 */
export function integerShapes(config: DecoderConfig, codes: 'i8' | 'u8' = 'i8'): Map<string, IntegerShape> {
  const shapes = outputLayerShapes(config, codes)
  for (const [name, shape] of decoderWeightShapes(config)) {
    const [out, inner] = shape as [number, number]
    const scale = name.replace(/weight$/, 'scale')
    if (name === EMBEDDING) {
      shapes.set(EMBEDDING_ROWS, { dtype: 'i8', shape })
      shapes.set(scale, { dtype: 'f32', shape: [out] })
    } else if (isLayerMatrix(name, shape)) {
      shapes.set(name, { dtype: codes, shape: [inner, out] })
      shapes.set(scale, { dtype: 'f32', shape: [out] })
    } else if (shape.length === 1) shapes.set(name, { dtype: 'f32', shape })
  }
  return shapes
}

const EMBEDDING = 'model.embed_tokens.weight'
const EMBEDDING_ROWS = 'model.embed_tokens.rows'

/** The tensors of `integerShapes`, rounded from weights; those that stay as they are share their memory. */
export function integerTensors(config: DecoderConfig, weights: Weights): Map<string, Tensor> {
  const tensors = outputLayerTensors(config, weights)
  for (const [name, weight] of weights) {
    const [out, inner] = weight.shape as [number, number]
    const scale = name.replace(/weight$/, 'scale')
    if (name === EMBEDDING && !tensors.has(EMBEDDING_ROWS)) {
      const { codes, scales } = quantizeRows(weight)
      tensors.set(EMBEDDING_ROWS, tensor('i8', codes, weight.shape))
      tensors.set(scale, tensor('f32', scales, [out]))
    } else if (isLayerMatrix(name, weight.shape)) {
      const { codes, scales } = quantizeBytes([weight])
      tensors.set(name, tensor('i8', codes, [inner, out]))
      tensors.set(scale, tensor('f32', scales, [out]))
    } else if (weight.shape.length === 1) tensors.set(name, tensor('f32', weight.data, weight.shape))
  }
  return tensors
}
