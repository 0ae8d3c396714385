import { createHash } from 'node:crypto'
import { dirname, relative } from 'node:path'
import type { Device } from './devices/device.ts'
import { elementBytes, onnxTypes } from './dtypes.ts'
import { GraphError } from './engineError.ts'
import type { Emitter, KernelTraits } from './opRow.ts'
import { emissionOn } from './opRow.ts'
import { opTable } from './opTable.ts'
import { ProtobufWriter } from './protobuf.ts'
import type { Attribute, Attributes, DType, GraphBuilder, GraphNode, Shape, StoredData, Value } from './value.ts'

/** A graph encoded for ONNX Runtime. */
export interface OnnxModel {
  readonly bytes: Uint8Array
  /** Encodes the program for kernels with traits, which `bytes` is not for. Null if none of its ops has kernels with traits. */
  readonly bytesFor: ((kernels: KernelTraits) => Uint8Array) | null
  /**
   * sha-256, hex: the same graph has the same hash on every machine. It covers constants in the model's bytes as a whole, and stored
   * weights by their names, types and shapes but not their place, so that a hash of the weights is needed besides. It does not cover a
   * choice of kernels that changes no bit of a result, which a timer may make.
   */
  readonly hash: string
  /** The inputs that the outputs depend on, by name: a run must feed all of them. */
  readonly inputs: ReadonlyMap<string, Value>
  readonly outputs: ReadonlyMap<string, Value>
  /** The device that it was encoded for, and must run on. */
  readonly device: Device
  /** Folder of the files that hold constants; null if there are none. */
  readonly folder: string | null
  /** Outputs that stay in the device's memory: a run returns them as `DeviceTensor`s. */
  readonly kept: ReadonlySet<string>
}

const IR_VERSION = 10
const OPSET = 21

const plainKernels: KernelTraits = { productsSaturate: false, loneRowsDiffer: false }

/**
 * Encodes the part of a graph that the outputs depend on as an ONNX ModelProto. Inputs and nodes that nothing
 * needs are left out.
 *
 * @param outputs - an output under its value's own name is that value itself, and costs no copy.
 * @param fed - values that the model does not compute but takes as inputs, under their own names: outputs of another model of the same graph.
 * @param device - kernels differ: an op is written with those that the device has.
 * @param kept - names of outputs that stay in the device's memory, see `keepsTensors`.
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
export function encodeModel(
  outputs: Readonly<Record<string, Value>>,
  fed: readonly Value[] = [],
  device: Device = 'cpu',
  kept: readonly string[] = [],
): OnnxModel {
  // Kept outputs come first, which the binding needs, see `createSession`.
  const entries = Object.entries(outputs).sort(([a], [b]) => Number(kept.includes(b)) - Number(kept.includes(a)))
  const graph = entries[0]?.[1].graph
  if (!graph) throw new GraphError('a model needs an output')
  const needed = backwardSlice(
    graph,
    entries.map(([, value]) => value),
    fed,
  )
  const folder = folderOf(needed.constants)
  const locate = ({ path }: StoredData) => relative(folder ?? '', path)
  const bytes = encodeGraph(entries, needed, device, locate)
  const hasTraits = needed.nodes.some(node => opTable[node.op].hasTraits)
  // Offsets, file names and the faster of equal kernels are of no meaning elsewhere: the hash is of an encoding without them.
  const isOwn = folder === null && needed.nodes.every(node => opTable[node.op].speedAttributes === undefined)
  const named = isOwn ? bytes : encodeGraph(entries, { ...needed, nodes: needed.nodes.map(meaningOf) }, device, null)
  return {
    bytes,
    bytesFor: hasTraits ? kernels => encodeGraph(entries, needed, device, locate, kernels) : null,
    hash: createHash('sha256').update(named).digest('hex'),
    inputs: new Map(needed.inputs.map(value => [value.name, value])),
    outputs: new Map(entries),
    device,
    folder,
    kept: new Set(entries.map(([name]) => name).filter(name => kept.includes(name))),
  }
}

/** A node without attributes that only change its speed. */
function meaningOf(node: GraphNode): GraphNode {
  const { speedAttributes = [] } = opTable[node.op]
  if (speedAttributes.length === 0) return node
  const attributes = Object.entries(node.attributes).filter(([name]) => !speedAttributes.includes(name))
  return { ...node, attributes: Object.fromEntries(attributes) }
}

/** @param locate - where a stored constant lies; null to name it instead. */
function encodeGraph(
  entries: readonly (readonly [string, Value])[],
  needed: ReturnType<typeof backwardSlice>,
  device: Device,
  locate: ((stored: StoredData) => string) | null,
  kernels = plainKernels,
): Uint8Array {
  const message = new ProtobufWriter()
  const renamed = ownNames(entries, needed.given)
  const emitter = new NodeWriter(message, device, renamed, kernels)
  for (const node of needed.nodes) {
    emitter.begin(node)
    emissionOn(device, node.op, opTable[node.op])(node, emitter)
  }
  for (const [name, value] of entries) {
    if (name !== emitter.name(value)) emitter.node('Identity', [emitter.name(value)], [name])
  }
  message.string(2, 'waggle')
  for (const constant of [...needed.constants, ...emitter.constants.values()])
    message.message(5, tensorProto(constant, locate))
  for (const input of needed.inputs) message.message(11, valueInfo(input.name, input))
  for (const [name, value] of entries) message.message(12, valueInfo(name, value))
  const opset = (domain: string, version: number) => new ProtobufWriter().string(1, domain).int(2, version)
  const model = new ProtobufWriter().int(1, IR_VERSION).string(2, 'waggle').message(7, message)
  return model.message(8, opset('', OPSET)).message(8, opset('com.microsoft', 1)).finish()
}

/** Names of computed values. A value that is an output has the output's name, so that it is not copied. */
function ownNames(entries: readonly (readonly [string, Value])[], given: ReadonlySet<Value>): Map<Value, string> {
  const kept = new Set(entries.filter(([name, value]) => name === value.name).map(([, value]) => value))
  const names = new Map<Value, string>()
  for (const [name, value] of entries)
    if (value.producer && !given.has(value) && !kept.has(value) && !names.has(value)) names.set(value, name)
  return names
}

/** The nodes, inputs and constants that values depend on, each in the order of their making. */
function backwardSlice(graph: GraphBuilder, values: readonly Value[], fed: readonly Value[]) {
  const given = new Set(fed)
  const seen = new Set<Value>()
  const nodes = new Set<GraphNode>()
  const stack = [...values]
  for (let value = stack.pop(); value; value = stack.pop()) {
    if (seen.has(value)) continue
    seen.add(value)
    if (!value.producer || given.has(value) || nodes.has(value.producer)) continue
    nodes.add(value.producer)
    for (const input of value.producer.inputs) if (input) stack.push(input)
  }
  const ordered = [...nodes].sort((a, b) => a.sequence - b.sequence)
  const constants = new Set<Value>()
  for (const node of ordered) for (const input of node.inputs) if (input?.data || input?.stored) constants.add(input)
  for (const value of values) if (value.data || value.stored) constants.add(value)
  return {
    nodes: ordered,
    inputs: [...graph.inputs.values(), ...fed].filter(input => seen.has(input)),
    constants: [...constants],
    given,
  }
}

interface Constant {
  readonly name: string
  readonly dtype: DType
  readonly shape: Shape
  readonly data: ArrayBufferView | null
  readonly stored: StoredData | null
}

class NodeWriter implements Emitter {
  readonly device: Device
  readonly kernels: KernelTraits
  readonly constants = new Map<string, Constant>()
  readonly #graph: ProtobufWriter
  readonly #renamed: ReadonlyMap<Value, string>
  #prefix = ''
  #temporaries = 0

  constructor(graph: ProtobufWriter, device: Device, renamed: ReadonlyMap<Value, string>, kernels: KernelTraits) {
    this.#graph = graph
    this.#renamed = renamed
    this.device = device
    this.kernels = kernels
  }

  begin(node: GraphNode): void {
    this.#prefix = node.outputs[0]?.name ?? ''
    this.#temporaries = 0
  }

  name(value: Value | null): string {
    return value ? (this.#renamed.get(value) ?? value.name) : ''
  }

  temporary(): string {
    return `${this.#prefix}_${this.#temporaries++}`
  }

  node(
    op: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
    domain = '',
  ): void {
    const message = new ProtobufWriter()
    for (const input of inputs) message.string(1, input)
    for (const output of outputs) message.string(2, output)
    message.string(3, `${op}_${outputs[0]}`).string(4, op)
    for (const [name, attribute] of Object.entries(attributes)) message.message(5, attributeProto(name, attribute))
    if (domain) message.string(7, domain)
    this.#graph.message(1, message)
  }

  integers(xs: readonly number[]): string {
    return this.#constant(`i64_${xs.join('_')}`, 'i64', [xs.length], BigInt64Array.from(xs, BigInt))
  }

  scalar(x: number, dtype: DType): string {
    const data =
      dtype === 'f64'
        ? Float64Array.of(x)
        : dtype === 'f32'
          ? Float32Array.of(x)
          : dtype === 'u8'
            ? Uint8Array.of(x)
            : BigInt64Array.of(BigInt(x))
    return this.#constant(`${dtype}_${x}`, dtype, [], data)
  }

  #constant(name: string, dtype: DType, shape: Shape, data: ArrayBufferView): string {
    this.constants.set(name, { name, dtype, shape, data, stored: null })
    return name
  }
}

function attributeProto(name: string, attribute: Attribute): ProtobufWriter {
  const message = new ProtobufWriter().string(1, name)
  if (typeof attribute === 'number') return message.int(3, attribute).int(20, 2)
  if (typeof attribute === 'string') return message.string(4, attribute).int(20, 3)
  if ('float' in attribute) return message.float(2, attribute.float).int(20, 1)
  for (const x of attribute) message.int(8, x)
  return message.int(20, 7)
}

function tensorProto(
  { name, dtype, shape, data, stored }: Constant,
  locate: ((stored: StoredData) => string) | null,
): ProtobufWriter {
  const message = new ProtobufWriter()
  for (const dim of shape) message.int(1, dim as number)
  message.int(2, onnxTypes[dtype]).string(8, name)
  if (!stored) {
    const { buffer, byteOffset, byteLength } = data as ArrayBufferView
    return message.bytes(9, new Uint8Array(buffer, byteOffset, byteLength))
  }
  const elements = (shape as readonly number[]).reduce((a, b) => a * b, 1)
  const place = locate ? { location: locate(stored), offset: stored.offset } : { location: stored.name }
  const entries = { ...place, length: elements * elementBytes[dtype] }
  for (const [key, value] of Object.entries(entries))
    message.message(13, new ProtobufWriter().string(1, key).string(2, String(value)))
  return message.int(14, 1)
}

/** ONNX Runtime searches every file under one folder: the deepest that holds them all. */
function folderOf(constants: readonly Constant[]): string | null {
  const folders = [...new Set(constants.flatMap(({ stored }) => (stored ? [dirname(stored.path)] : [])))]
  const [first, ...others] = folders
  if (first === undefined) return null
  let folder = first
  for (const other of others)
    while (relative(folder, other).startsWith('..')) {
      if (dirname(folder) === folder) throw new GraphError(`the weights of one graph are on ${folders.length} drives`)
      folder = dirname(folder)
    }
  return folder
}

function valueInfo(name: string, value: Value): ProtobufWriter {
  const shape = new ProtobufWriter()
  for (const dim of value.shape) {
    shape.message(1, typeof dim === 'number' ? new ProtobufWriter().int(1, dim) : new ProtobufWriter().string(2, dim))
  }
  const tensor = new ProtobufWriter().int(1, onnxTypes[value.dtype]).message(2, shape)
  return new ProtobufWriter().string(1, name).message(2, new ProtobufWriter().message(1, tensor))
}
