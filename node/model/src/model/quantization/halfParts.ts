import { add, flattenRows, halfLinear, reshape } from '#engine/tensor.ts'
import type { Shape } from '#engine/value.ts'
import { type DecoderParts, denseParts, type WeightValues } from '../decoder/decoder.ts'
import { isLayerMatrix } from './integerParts.ts'

/** A decoder's parts whose products by matrices of its layers are in float16, forwards and for gradients of activations; all else is as in float32. */
export function halfParts(values: WeightValues): DecoderParts {
  const dense = denseParts(values)
  return {
    weight: dense.weight,
    project(x, name) {
      const weights = dense.weight(`${name}.weight`)
      const y = reshape(halfLinear(flattenRows(x), weights), [...x.shape.slice(0, -1), weights.shape[0] as number])
      const bias = values.get(`${name}.bias`)
      return bias ? add(y, bias) : y
    },
  }
}

/** Types and shapes of a decoder's weights for `halfParts`: matrices of layers in f16 where a device keeps them, and in f32 where they are fed, which is rounded in the graph. */
export const halfShapes = (shapes: ReadonlyMap<string, Shape>, isKept: boolean) =>
  new Map(
    [...shapes].map(([name, shape]) => {
      const dtype: 'f16' | 'f32' = isKept && isLayerMatrix(name, shape) ? 'f16' : 'f32'
      return [name, { dtype, shape }]
    }),
  )
