import type { Op } from './op.ts'

/** f16 and bf16 are for stored weights, which a graph casts before it computes with them. */
export type DType = 'f32' | 'f64' | 'f16' | 'bf16' | 'i64' | 'i32' | 'i8' | 'u8' | 'bool'

/** A length: a number, or a name that every run binds to a number. Products are written `B*T`. */
export type Dim = number | string

export type Shape = readonly Dim[]

/** A plain number is an integer attribute; a floating-point one is wrapped. */
export type Attribute = number | string | readonly number[] | { readonly float: number }

export type Attributes = Readonly<Record<string, Attribute>>

/** Place of a constant's bytes, little-endian and row-major. */
export interface StoredData {
  /** Its name in the model: the graph's hash uses it, independent of the file. */
  readonly name: string
  /** A regular file by its real path: the runtime follows no symbolic link. */
  readonly path: string
  readonly offset: number
}

/** One tensor of the graph: an input, a constant (`data` or `stored` set), or the output of `producer`. */
export interface Value {
  readonly graph: GraphBuilder
  readonly name: string
  readonly dtype: DType
  readonly shape: Shape
  readonly producer: GraphNode | null
  readonly data: ArrayBufferView | null
  readonly stored: StoredData | null
}

/** One application of a row of the op table. Null inputs are optional ones left out. */
export interface GraphNode {
  readonly op: Op
  readonly inputs: readonly (Value | null)[]
  readonly outputs: readonly Value[]
  readonly attributes: Attributes
  readonly sequence: number
}

/** The graph of a value, as ops and verbs see it. */
export interface GraphBuilder {
  readonly real: 'f32' | 'f64'
  readonly nodes: readonly GraphNode[]
  readonly inputs: ReadonlyMap<string, Value>
  input(name: string, dtype: DType, shape: Shape): Value
  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): Value
  scalar(x: number, dtype?: DType): Value
  integers(xs: readonly number[]): Value
  length(dim: Dim): Value
  apply(op: Op, inputs: readonly (Value | null)[], attributes?: Attributes, declared?: Shape): readonly Value[]
  apply1(op: Op, inputs: readonly (Value | null)[], attributes?: Attributes, declared?: Shape): Value
}
