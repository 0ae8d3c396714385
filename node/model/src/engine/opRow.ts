import type { Device } from './devices/device.ts'
import { GraphError } from './engineError.ts'
import type { Attribute, Attributes, DType, GraphNode, Shape, Value } from './value.ts'

/** Arguments of a row when an op is applied. */
export interface Application {
  readonly op: string
  readonly inputs: readonly (Value | null)[]
  readonly attributes: Attributes
  /** Given by the caller where the output's shape is data: Reshape, Expand, Slice, Pad. */
  readonly declared: Shape | undefined
}

export interface TensorType {
  readonly dtype: DType
  readonly shape: Shape
}

/**
 * Vector-Jacobian product of a node, as graph nodes.
 *
 * @param node - the node as it was applied; its inputs and outputs may be used.
 * @param dy - gradient of each output; null if the loss does not depend on it.
 * @returns the gradient of each input, in the input's shape; null for inputs that have none.
 */
type GradientRule = (node: GraphNode, dy: readonly (Value | null)[]) => readonly (Value | null)[]

/**
 * A rule that treats a rounding in the op as the identity, since a rounding has no useful slope. It is not a derivative of what
 * is computed. Tests compare it with the product without rounding (Bengio et al., arXiv:1308.3432 section 4).
 */
interface StraightThrough {
  readonly straightThrough: GradientRule
}

/** Traits of a CPU's byte-product kernels that a program is encoded around, so that its results are the same elsewhere. */
export interface KernelTraits {
  /** Products of u8 by i8 are added in pairs of 16 bits, which saturate: x64 CPUs without VNNI do so. */
  readonly productsSaturate: boolean
  /** One row by weights of few bits is added in another order than several are: x64 CPUs without AVX-512 do so. */
  readonly loneRowsDiffer: boolean
}

/** Writes ONNX nodes. Tensor names in, tensor names out. */
export interface Emitter {
  readonly device: Device
  readonly kernels: KernelTraits
  name(value: Value | null): string
  /** A fresh name for a tensor between two nodes of one emission. */
  temporary(): string
  node(
    op: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: Attributes,
    domain?: string,
  ): void
  integers(xs: readonly number[]): string
  scalar(x: number, dtype: DType): string
}

/** Writes a node as ONNX nodes. */
export type Emission = (node: GraphNode, emitter: Emitter) => void

/** One row of the op table. */
export interface OpRow {
  /** Types and shapes of the outputs; throws a GraphError on inputs that do not fit. */
  readonly infer: (application: Application) => readonly TensorType[]
  /** On every device, or on each; without it, one node of the op's own name in the standard domain. */
  readonly emit?: Emission | Readonly<Record<Device, Emission>>
  /** Attributes that change the speed and no bit of a result: a model's hash is of the graph without them. */
  readonly speedAttributes?: readonly string[]
  /** Whether the emission depends on the traits of the kernels. */
  readonly hasTraits?: true
  /**
   * `discrete`: the outputs are integers or truth values, so no gradient flows. `forwardOnly`: a gradient would make sense, but the op has none, and
   * requesting it throws when the graph is built.
   */
  readonly gradient: GradientRule | StraightThrough | 'discrete' | 'forwardOnly'
}

/** The com.microsoft domain of ONNX Runtime. */
export const CONTRIB = 'com.microsoft'

/** The emission of an op's row on a device. */
export function emissionOn(device: Device, op: string, { emit = emitAs(op) }: Pick<OpRow, 'emit'>): Emission {
  return typeof emit === 'function' ? emit : emit[device]
}

/** An emission of one node, under another name or in another domain. */
export const emitAs =
  (name: string, domain = ''): Emission =>
  (node, e) =>
    e.node(
      name,
      node.inputs.map(v => e.name(v)),
      node.outputs.map(v => e.name(v)),
      node.attributes,
      domain,
    )

/** The i-th input, which must be there. */
export function required(application: Pick<Application, 'op' | 'inputs'>, i: number): Value {
  const value = application.inputs[i]
  if (!value) throw new GraphError(`${application.op} needs an input ${i}`)
  return value
}

/** The declared output shape, which must be there. */
export function declaredShape({ op, declared }: Application): Shape {
  if (!declared) throw new GraphError(`${op} needs its output shape declared`)
  return declared
}

/** An integer attribute, or the default. */
export function integerAttribute(attributes: Attributes, name: string, fallback: number): number {
  const value: Attribute | undefined = attributes[name]
  return typeof value === 'number' ? value : fallback
}

/** An attribute that is a list of integers, which must be there. */
export function integersAttribute(attributes: Attributes, name: string): readonly number[] {
  const value = attributes[name]
  if (!Array.isArray(value)) throw new GraphError(`attribute ${name} must be a list of integers`)
  return value as readonly number[]
}

/** A floating-point attribute, or the default. */
export function floatAttribute(attributes: Attributes, name: string, fallback: number): number {
  const value = attributes[name]
  return typeof value === 'object' && 'float' in value ? value.float : fallback
}

/** Refuses inputs of different types. */
export function sameType(op: string, ...values: readonly Value[]): DType {
  const [first] = values
  if (!first) throw new GraphError(`${op} needs an input`)
  for (const value of values) {
    if (value.dtype !== first.dtype) throw new GraphError(`${op}: ${first.dtype} and ${value.dtype} do not mix`)
  }
  return first.dtype
}
