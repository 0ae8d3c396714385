import type { Graph } from '#engine/graph.ts'
import { add, blockLinear, cast, concat, gather, integerLinear, linear, mul, transpose } from '#engine/tensor.ts'
import type { DType, Value } from '#engine/value.ts'
import { constantWeights } from '../decoder/constantWeights.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import type { Weights } from '../decoder/weights.ts'
import type { FrozenTensor, FrozenTensors } from './frozenTensors.ts'

/**
 * A decoder's weights as constants of one graph. The names are Hugging Face's, matrices without `.weight`; several names are
 * one product with the matrices joined by their outputs.
 */
export interface FrozenParts {
  /** Number type of keys, values and attention on a device. */
  readonly real: 'f32' | 'f16'
  /** A norm's weight. */
  weight(name: string): Value
  /** Rows [R, in] to [R, out], with the biases that the matrices have. */
  project(x: Value, ...names: readonly string[]): Value
  /** Token ids i64 [R] to rows of the embedding [R, hidden]. */
  embed(tokens: Value): Value
  /** Rows [R, hidden] to [R, vocabulary]. */
  logits(hidden: Value): Value
}

/** Makes the parts in a graph. */
export type Freeze = (graph: Graph) => FrozenParts

const EMBEDDING = 'model.embed_tokens'

const headOf = (config: DecoderConfig) => (config.tieWordEmbeddings ? EMBEDDING : 'lm_head')

/** Weights in memory, stored in the model's bytes: for small models, whose weights change. */
export function bakedParts(config: DecoderConfig, weights: Weights): Freeze {
  return graph => {
    const weight = constantWeights(graph, weights)
    const project = (x: Value, ...names: readonly string[]) => {
      const biases = names.map(name => `${name}.bias`).filter(bias => weights.has(bias))
      return linear(x, weight(...names.map(name => `${name}.weight`)), biases.length ? weight(...biases) : undefined)
    }
    return {
      real: 'f32',
      weight,
      project,
      embed: tokens => gather(weight(`${EMBEDDING}.weight`), tokens, 0),
      logits: hidden => project(hidden, headOf(config)),
    }
  }
}

/** Weights where they lie, in a model's own files or in a quantised copy of them. */
export function frozenParts(config: DecoderConfig, tensors: FrozenTensors): Freeze {
  return graph => {
    const made = new Map<string, Value>()
    const constant = (name: string, real: 'f32' | 'f16' = 'f32'): Value => {
      const key = `${name} ${real}`
      const known = made.get(key)
      if (known) return known
      const tensor = tensors.constants.get(name)
      if (!tensor) throw new Error(`the graph has no weight named ${name}`)
      const value = asReal(storedConstant(graph, name, tensor), real)
      made.set(key, value)
      return value
    }
    /** Joined by their outputs: by the quantised copy, or in the graph, which the runtime does once. */
    const joined = (names: readonly string[], part: string, real: 'f32' | 'f16' = 'f32'): Value => {
      const whole = `${names.join('+')}.${part}`
      if (names.length === 1 || tensors.constants.has(whole)) return constant(whole, real)
      const pieces = names.map(name => constant(`${name}.${part}`, real))
      const value = made.get(whole) ?? concat(pieces, 0)
      made.set(whole, value)
      return value
    }
    const project = (x: Value, ...names: readonly string[]) => {
      const hasBias = [names.join('+'), names[0]].some(name => tensors.constants.has(`${name}.bias`))
      const bias = hasBias ? joined(names, 'bias') : undefined
      // Log-probabilities are differences of logits, which are too large for 11 bits.
      const precision = tensors.precision === 'float16' && names[0] === headOf(config) ? 'float32' : tensors.precision
      const weights = joined(names, 'weight', precision === 'float16' ? 'f16' : 'f32')
      switch (precision) {
        case 'float32':
          return linear(x, weights, bias)
        case 'float16': {
          const y = cast(linear(cast(x, 'f16'), weights), 'f32')
          return bias ? add(y, bias) : y
        }
        case 'int8': {
          const fused = tensors.isFused(weights.shape as readonly number[])
          const y = integerLinear(x, weights, joined(names, 'scale'), fused)
          return bias ? add(y, bias) : y
        }
        case 'int4': {
          const blocks = { codes: weights, scales: joined(names, 'scale'), bits: 4, blockSize: tensors.blockSize }
          return blockLinear(x, blocks, bias)
        }
      }
    }
    const embed = (tokens: Value) => {
      if (tensors.precision === 'float32' || tensors.precision === 'float16')
        return gather(constant(`${EMBEDDING}.weight`), tokens, 0)
      const rows = tensors.constants.has('embedding.weight')
      const codes = rows
        ? gather(constant('embedding.weight'), tokens, 0)
        : transpose(gather(constant(`${EMBEDDING}.weight`), tokens, 1), [1, 0]) // a tied head has it as [hidden, V]
      const scales = gather(constant(rows ? 'embedding.scale' : `${EMBEDDING}.scale`), tokens, 0)
      return mul(cast(codes, 'f32'), asColumn(scales))
    }
    const real = tensors.precision === 'float16' ? 'f16' : 'f32'
    return { real, weight: name => constant(name), project, embed, logits: hidden => project(hidden, headOf(config)) }
  }
}

function storedConstant(graph: Graph, name: string, { dtype, shape, content }: FrozenTensor): Value {
  return 'path' in content
    ? graph.stored(dtype as DType, shape, { ...content, name })
    : graph.constant(dtype as DType, shape, content)
}

/** A constant of real numbers in the type that is computed with; codes of integers as they are. */
const asReal = (value: Value, real: 'f32' | 'f16') => (isReal(value.dtype) ? cast(value, real) : value)

const isReal = (dtype: DType) => dtype === 'f32' || dtype === 'f16' || dtype === 'bf16'

const asColumn = (rows: Value) =>
  rows.graph.apply1('Unsqueeze', [rows, rows.graph.integers([1])], {}, [...rows.shape, 1])
