import type { Value } from '#engine/graph.ts'
import { type Tensor, tensor } from '#engine/session.ts'
import { add, flattenRows, integerLinear, reshape } from '#engine/tensor.ts'
import type { DecoderParts, WeightValues } from './decoder.ts'
import type { DecoderConfig } from './decoderConfig.ts'
import { decoderWeightShapes } from './decoderWeights.ts'
import { quantizeBytes } from './quantize.ts'
import type { Weights } from './weights.ts'

/** Whether a weight is a matrix of a layer, which is kept in 8 bits. */
export const isLayerMatrix = (name: string, shape: readonly number[]) =>
  shape.length === 2 && name.startsWith('model.layers.')

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

/** Types and shapes of the tensors that stand for the matrices in `integerParts`. */
export function integerShapes(config: DecoderConfig): Map<string, { dtype: 'i8' | 'f32'; shape: readonly number[] }> {
  const shapes = new Map<string, { dtype: 'i8' | 'f32'; shape: readonly number[] }>()
  for (const [name, shape] of decoderWeightShapes(config)) {
    if (!isLayerMatrix(name, shape)) {
      shapes.set(name, { dtype: 'f32', shape })
      continue
    }
    const [out, inner] = shape as [number, number]
    shapes.set(name, { dtype: 'i8', shape: [inner, out] })
    shapes.set(name.replace(/weight$/, 'scale'), { dtype: 'f32', shape: [out] })
  }
  return shapes
}

/** The tensors of `integerShapes`, rounded from weights; those that stay as they are share their memory. */
export function integerTensors(weights: Weights): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>()
  for (const [name, weight] of weights) {
    if (!isLayerMatrix(name, weight.shape)) {
      tensors.set(name, tensor('f32', weight.data, weight.shape))
      continue
    }
    const [out, inner] = weight.shape as [number, number]
    const { codes, scales } = quantizeBytes([weight])
    tensors.set(name, tensor('i8', codes, [inner, out]))
    tensors.set(name.replace(/weight$/, 'scale'), tensor('f32', scales, [out]))
  }
  return tensors
}
