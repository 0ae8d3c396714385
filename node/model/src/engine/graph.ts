import { GraphError } from './engineError.ts'
import type { Op } from './op.ts'
import { opTable } from './opTable.ts'
import type { Attributes, Dim, DType, GraphBuilder, GraphNode, Shape, StoredData, Value } from './value.ts'

/**
 * A tensor program in static single assignment form.
 *
 * Values are made once and never changed, and nodes are kept in the order of their making, which is
 * therefore a topological order. Building it twice the same way gives the same names, and so the same bytes.
 */
export class Graph implements GraphBuilder {
  /** The type of the real numbers of this graph: f32 to run, f64 to check gradients. */
  readonly real: 'f32' | 'f64'
  readonly nodes: GraphNode[] = []
  readonly inputs = new Map<string, Value>()
  readonly #constants = new Map<string, Value>()
  #values = 0

  constructor(real: 'f32' | 'f64' = 'f32') {
    this.real = real
  }

  /** A tensor that every run must feed. */
  input(name: string, dtype: DType, shape: Shape): Value {
    if (this.inputs.has(name)) throw new GraphError(`the graph already has an input named ${name}`)
    const value = this.#value(name, dtype, shape, null, null)
    this.inputs.set(name, value)
    return value
  }

  /** A tensor stored in the model's bytes. */
  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): Value {
    return this.#value(`%${this.#values}`, dtype, shape, null, data)
  }

  /** A constant that the runtime reads from a file itself, without a copy in this process. */
  stored(dtype: DType, shape: readonly number[], stored: StoredData): Value {
    return { ...this.#value(`%${this.#values}`, dtype, shape, null, null), stored }
  }

  /** A scalar constant; equal ones are shared. */
  scalar(x: number, dtype: DType = this.real): Value {
    return this.#shared(`${dtype}:${Object.is(x, -0) ? '-0' : x}`, () => this.constant(dtype, [], scalarData(x, dtype)))
  }

  /** A one-dimensional i64 constant, for axes, shapes and sizes; equal ones are shared. */
  integers(xs: readonly number[]): Value {
    const data = () => BigInt64Array.from(xs, BigInt)
    return this.#shared(`i64[${xs.join(',')}]`, () => this.constant('i64', [xs.length], data()))
  }

  /** The length of a symbolic dimension in this run, as i64 `[1]`, taken from an input with this dimension. */
  length(dim: Dim): Value {
    if (typeof dim === 'number') return this.integers([dim])
    return this.#shared(`length:${dim}`, () => {
      for (const input of this.inputs.values()) {
        const axis = input.shape.indexOf(dim)
        if (axis >= 0) return this.apply1('Shape', [input], { start: axis, end: axis + 1 })
      }
      const factors = dim.split('*')
      if (factors.length > 1) {
        return factors
          .map(f => this.length(/^\d+$/.test(f) ? Number(f) : f))
          .reduce((a, b) => this.apply1('Mul', [a, b]))
      }
      throw new GraphError(`no input has a dimension named ${dim}`)
    })
  }

  /**
   * Applies an op; its row gives the outputs' types and shapes.
   *
   * @param declared - the output's shape, for ops whose shape is data (Reshape, Expand, Slice, …).
   * @throws {GraphError} if the row refuses the inputs.
   */
  apply(op: Op, inputs: readonly (Value | null)[], attributes: Attributes = {}, declared?: Shape): readonly Value[] {
    for (const input of inputs) {
      if (input && input.graph !== this) throw new GraphError(`${op}: ${input.name} belongs to another graph`)
    }
    const types = opTable[op].infer({ op, inputs, attributes, declared })
    const outputs: Value[] = []
    const node: GraphNode = { op, inputs, outputs, attributes, sequence: this.nodes.length }
    for (const { dtype, shape } of types) outputs.push(this.#value(`%${this.#values}`, dtype, shape, node, null))
    this.nodes.push(node)
    return outputs
  }

  /** `apply` for the first output. */
  apply1(op: Op, inputs: readonly (Value | null)[], attributes: Attributes = {}, declared?: Shape): Value {
    return this.apply(op, inputs, attributes, declared)[0] as Value
  }

  #value(name: string, dtype: DType, shape: Shape, producer: GraphNode | null, data: ArrayBufferView | null): Value {
    this.#values++
    return { graph: this, name, dtype, shape, producer, data, stored: null }
  }

  #shared(key: string, make: () => Value): Value {
    const known = this.#constants.get(key)
    if (known) return known
    const value = make()
    this.#constants.set(key, value)
    return value
  }
}

function scalarData(x: number, dtype: DType): ArrayBufferView {
  switch (dtype) {
    case 'f32':
      return Float32Array.of(x)
    case 'f64':
      return Float64Array.of(x)
    case 'i64':
      return BigInt64Array.of(BigInt(x))
    case 'i32':
      return Int32Array.of(x)
    case 'i8':
      return Int8Array.of(x)
    case 'u8':
      return Uint8Array.of(x)
    case 'bool':
      return Uint8Array.of(x ? 1 : 0)
    case 'f16':
    case 'bf16':
      throw new GraphError(`${dtype} is for stored weights; make an f32 scalar`)
  }
}
