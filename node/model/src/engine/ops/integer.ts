import { GraphError } from '../engineError.ts'
import type { IntegerOp } from '../op.ts'
import { type Application, CONTRIB, type Emitter, integerAttribute, type OpRow, required } from '../opRow.ts'
import { dimAt } from '../shapes.ts'
import { integerLinear, mul } from '../tensor.ts'
import type { Attributes, GraphNode, Value } from '../value.ts'

/** Rows with smaller numbers count as zero: a scale must not be zero. */
export const SMALLEST_ROW = 1e-30

/** [R, K] by a matrix of `columns` columns. */
function rowsBy(application: Application, inner: number, columns: number) {
  const x = required(application, 0)
  if (x.shape.length !== 2 || dimAt(x.shape, -1) !== inner)
    throw new GraphError(`${application.op}: [${x.shape}] by a matrix of ${inner} rows`)
  return [{ dtype: x.dtype, shape: [dimAt(x.shape, 0), columns] }]
}

/** Emits nodes of one output, under fresh names. */
export const chain =
  (e: Emitter) =>
  (op: string, inputs: readonly string[], attributes: Attributes = {}, domain = ''): string => {
    const output = e.temporary()
    e.node(op, inputs, [output], attributes, domain)
    return output
  }

/**
 * Rows as unsigned bytes around 128 with one scale each, the largest magnitude over 127: names of the bytes and of the scales
 * [R, 1]. With one scale for each row, a row's result does not depend on the other rows.
 */
export function quantizeRows(x: string, e: Emitter): { bytes: string; scales: string } {
  const step = chain(e)
  const scales = scaleRows(x, e)
  const scaled = step('Div', [x, scales])
  return { bytes: step('QuantizeLinear', [scaled, e.scalar(1, 'f32'), e.scalar(128, 'u8')]), scales }
}

/** Added to a number below 2^22 in magnitude to round it, halves to even: WebGPU has no Round. */
const ROUNDING = 1.5 * 2 ** 23

/** The same codes, around 0 and as float32, for devices without products of bytes. */
export function roundRows(x: string, e: Emitter): { codes: string; scales: string } {
  const step = chain(e)
  const scales = scaleRows(x, e)
  const shifted = step('Add', [step('Div', [x, scales]), e.scalar(ROUNDING, 'f32')])
  return { codes: step('Sub', [shifted, e.scalar(ROUNDING, 'f32')]), scales }
}

/** Emits the scales [R, 1] of rows: the largest magnitude over 127. */
function scaleRows(x: string, e: Emitter): string {
  const step = chain(e)
  const largest = step('ReduceMax', [step('Abs', [x]), e.integers([1])], { keepdims: 1 })
  return step('Mul', [step('Max', [largest, e.scalar(SMALLEST_ROW, 'f32')]), e.scalar(1 / 127, 'f32')])
}

/** Flipping this bit of a signed byte gives an unsigned byte that is larger by 128. */
const HIGHEST_BIT = 128
const UINT8 = 2

/**
 * A matrix of signed bytes as the right factor of a product of bytes: names of its codes and of their zero point, if it is not 0.
 * If products saturate, both are larger by 128. Their differences, and so the sums, are the same, and no kernel adds products of unsigned bytes in 16 bits.
 *
 * @param middle - i8 [N], the zero point of each column; 0 by default.
 */
export function rightFactor(e: Emitter, codes: string, middle?: string): { codes: string; zero: readonly string[] } {
  if (!e.kernels.productsSaturate) return { codes, zero: middle === undefined ? [] : [middle] }
  const step = chain(e)
  const bit = e.scalar(HIGHEST_BIT, 'u8')
  const unsigned = (signed: string) => step('BitwiseXor', [step('Cast', [signed], { to: UINT8 }), bit])
  return { codes: unsigned(codes), zero: [middle === undefined ? bit : unsigned(middle)] }
}

/** Emits a product of rows [R, K] with the first row repeated at the end, so that no row is alone. */
function besideAnother(e: Emitter, x: string, output: string, multiply: (rows: string, y: string) => void): void {
  const step = chain(e)
  const more = e.temporary()
  multiply(step('Concat', [x, step('Gather', [x, e.integers([0])], { axis: 0 })], { axis: 0 }), more)
  e.node('Slice', [more, e.integers([0]), e.integers([-1]), e.integers([0])], [output])
}

const isTransposed = ({ attributes }: Pick<GraphNode, 'attributes'>) => integerAttribute(attributes, 'transB', 0) === 1

function emitIntegers(node: GraphNode, e: Emitter): void {
  const [x, weights, columnScales] = node.inputs.map(input => e.name(input)) as [string, string, string]
  const step = chain(e)
  const w = isTransposed(node) ? step('Transpose', [weights], { perm: [1, 0] }) : weights
  const { bytes, scales } = quantizeRows(x, e)
  const [middle, output] = [e.scalar(128, 'u8'), e.name(node.outputs[0] as Value)]
  const isUnsigned = required(node, 1).dtype === 'u8'
  const { codes, zero } = isUnsigned ? { codes: w, zero: [e.scalar(HIGHEST_BIT, 'u8')] } : rightFactor(e, w)
  const isFused = integerAttribute(node.attributes, 'fused', 1) === 1
  const fused = () =>
    step('MatMulIntegerToFloat', [bytes, codes, e.scalar(1, 'f32'), columnScales, middle, ...zero], {}, CONTRIB)
  const sums = () => step('Cast', [step('MatMulInteger', [bytes, codes, middle, ...zero])], { to: 1 })
  e.node('Mul', [isFused ? fused() : step('Mul', [sums(), columnScales]), scales], [output])
}

/** Inputs of an output that WebGPU's kernel for 8-bit weights reads with one scale. */
const BLOCK = 32

/**
 * Multiplies by WebGPU's kernel for 8-bit weights, which widens them as it reads them, if they are constants: the runtime rearranges those
 * once. Other weights are widened as a whole in each run. The kernel is wrong for fewer inputs than a block.
 */
function emitBlocks(node: GraphNode, e: Emitter): void {
  const [x, weights, columnScales] = [0, 1, 2].map(i => required(node, i)) as [Value, Value, Value]
  const shape = weights.shape as readonly number[]
  const [N, K] = (isTransposed(node) ? shape : [shape[1], shape[0]]) as [number, number]
  if (!isConstant(weights) || !isConstant(columnScales) || weights.dtype === 'u8' || K < BLOCK) {
    emitFloats(node, e)
    return
  }
  const step = chain(e)
  const { codes, scales } = roundRows(e.name(x), e)
  const blocks = Math.ceil(K / BLOCK)
  const byOutput = isTransposed(node) ? e.name(weights) : step('Transpose', [e.name(weights)], { perm: [1, 0] })
  const bytes = step('BitwiseXor', [step('Cast', [byOutput], { to: UINT8 }), e.scalar(HIGHEST_BIT, 'u8')])
  const zero = e.scalar(HIGHEST_BIT, 'u8')
  const whole = K % BLOCK === 0 ? bytes : step('Pad', [bytes, e.integers([0, 0, 0, blocks * BLOCK - K]), zero])
  const b = step('Reshape', [whole, e.integers([N, blocks, BLOCK])])
  const columns = step('Expand', [step('Unsqueeze', [e.name(columnScales), e.integers([1])]), e.integers([N, blocks])])
  const ofBlocks = step('Reshape', [columns, e.integers([N * blocks])])
  const product = step('MatMulNBits', [codes, b, ofBlocks], { K, N, bits: 8, block_size: BLOCK }, CONTRIB)
  e.node('Mul', [product, scales], [e.name(node.outputs[0] as Value)])
}

const isByte = ({ dtype }: Value) => dtype === 'i8' || dtype === 'u8'

/** Zero points of an axis of unsigned codes, for DequantizeLinear; none where codes are signed. */
export function zeroOf({ dtype, shape }: Value, axis: number, e: Emitter): readonly string[] {
  const zeros = () => chain(e)('Expand', [e.scalar(HIGHEST_BIT, 'u8'), e.integers([shape[axis] as number])])
  return dtype === 'u8' ? [zeros()] : []
}

const isConstant = ({ data, stored }: Value) => data !== null || stored !== null

/** GPUs have no products of bytes. Sums differ from those of integers by float32's rounding. */
function emitFloats(node: GraphNode, e: Emitter): void {
  const [x, weights, columnScales] = node.inputs.map(input => e.name(input)) as [string, string, string]
  const step = chain(e)
  const { codes, scales } = roundRows(x, e)
  const transB = isTransposed(node) ? 1 : 0
  const matrix = step('DequantizeLinear', [weights, columnScales, ...zeroOf(required(node, 1), 1 - transB, e)], {
    axis: 1 - transB,
  })
  e.node('Mul', [step('Gemm', [codes, matrix], { transB }), scales], [e.name(node.outputs[0] as Value)])
}

export const integerRows: Record<IntegerOp, OpRow> = {
  /**
   * x W with 8-bit integers: inputs x f32 [R, K], weights i8 [K, N], or u8 and larger by 128, their scales f32 [N]. The sums are exact, so that all
   * kernels are bitwise identical; attributes `fused`, which picks one that scales its sums itself (1) or separate nodes (0), and `transB`, for
   * weights i8 [N, K]. On a GPU the same codes are multiplied as float32.
   */
  IntegerLinear: {
    infer: application => {
      const w = required(application, 1)
      if (!isByte(w)) throw new GraphError(`IntegerLinear: weights of ${w.dtype}`)
      const [inner, outer] = (isTransposed(application) ? [w.shape[1], w.shape[0]] : w.shape) as [number, number]
      return rowsBy(application, inner, outer)
    },
    speedAttributes: ['fused'],
    hasTraits: true,
    emit: { cpu: emitIntegers, webgpu: emitBlocks, cuda: emitFloats },
    // dy W^T, with the columns' scales in dy, which is rounded by row as x was: the same integers serve both directions.
    gradient: {
      straightThrough: (node, [dy]) => {
        const [x, w, scales] = [required(node, 0), required(node, 1), required(node, 2)]
        const inner = dimAt(x.shape, -1) as number
        const ones = x.graph.constant('f32', [inner], new Float32Array(inner).fill(1))
        const fused = integerAttribute(node.attributes, 'fused', 1) === 1
        return [integerLinear(mul(dy as Value, scales), w, ones, fused, !isTransposed(node)), null, null]
      },
    },
  },
  /**
   * x W^T + bias with weights of few bits: inputs x f32 [R, K], codes u8 [N, blocks, bytes a block], scales f32 [N * blocks], and f32 [N] or
   * none; attributes `K`, `N`, `bits`, `block_size`, `accuracy_level`.
   */
  BlockLinear: {
    infer: application => {
      const { attributes } = application
      return rowsBy(application, integerAttribute(attributes, 'K', 0), integerAttribute(attributes, 'N', 0))
    },
    hasTraits: true,
    emit: (node, e) => {
      const [x, codes, scales, bias] = node.inputs.map(input => e.name(input)) as [string, string, string, string]
      const output = e.name(node.outputs[0] as Value)
      const inside = bias !== '' && e.device === 'cpu' // not every device's kernel adds it
      const product = bias === '' || inside ? output : e.temporary()
      const multiply = (rows: string, y: string) =>
        e.node('MatMulNBits', [rows, codes, scales, ...(inside ? ['', '', bias] : [])], [y], node.attributes, CONTRIB)
      if (e.kernels.loneRowsDiffer && e.device === 'cpu') besideAnother(e, x, product, multiply)
      else multiply(x, product)
      if (product !== output) e.node('Add', [product, bias], [output])
    },
    gradient: 'forwardOnly',
  },
}
