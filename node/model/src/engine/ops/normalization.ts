import { GraphError } from '../engineError.ts'
import type { NormalizationOp } from '../op.ts'
import { type Emitter, floatAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { dimAt, sameShape } from '../shapes.ts'
import { add, concat, meanOver, mul, neg, split, sub, sumTo } from '../tensor.ts'
import type { GraphNode, Value } from '../value.ts'

/** The kernel for f32; in f64 it rounds its second output to f32. */
function emitFusedRmsNorm(node: GraphNode, e: Emitter): void {
  const [x, weight] = [required(node, 0), required(node, 1)]
  if (x.dtype !== 'f32') {
    emitRmsNorm(node, e)
    return
  }
  const epsilon = { float: floatAttribute(node.attributes, 'epsilon', 1e-6) }
  const outputs = node.outputs.map(v => e.name(v))
  const attributes = { axis: -1, epsilon, stash_type: 1 }
  e.node('SimplifiedLayerNormalization', [e.name(x), e.name(weight)], outputs, attributes)
}

/** WebGPU's kernel computes the norm, and leaves its second output unwritten (ONNX Runtime 1.30). */
function emitRmsNorm(node: GraphNode, e: Emitter): void {
  const [x, weight] = [required(node, 0), required(node, 1)]
  const [y, r] = node.outputs.map(v => e.name(v)) as [string, string]
  const epsilon = floatAttribute(node.attributes, 'epsilon', 1e-6)
  const [square, mean, sum, root, normal] = temporaries(e, 5) as [string, string, string, string, string]
  e.node('Mul', [e.name(x), e.name(x)], [square])
  e.node('ReduceMean', [square, e.integers([-1])], [mean], { keepdims: 1 })
  e.node('Add', [mean, e.scalar(epsilon, x.dtype)], [sum])
  e.node('Sqrt', [sum], [root])
  e.node('Reciprocal', [root], [r])
  e.node('Mul', [e.name(x), r], [normal])
  e.node('Mul', [normal, e.name(weight)], [y])
}

const temporaries = (e: Emitter, count: number) => Array.from({ length: count }, () => e.temporary())

/** y = x cos + rotate(x) sin, where rotate swaps the halves of the last axis and negates the new first one. */
function emitRope(node: GraphNode, e: Emitter): void {
  const [x, cos, sin] = [0, 1, 2].map(i => required(node, i)) as [Value, Value, Value]
  const half = (dimAt(x.shape, -1) as number) / 2
  const [first, second, negated, rotated, a, b] = temporaries(e, 6) as [string, string, string, string, string, string]
  e.node('Split', [e.name(x), e.integers([half, half])], [first, second], { axis: -1 })
  e.node('Neg', [second], [negated])
  e.node('Concat', [negated, first], [rotated], { axis: -1 })
  e.node('Mul', [e.name(x), e.name(cos)], [a])
  e.node('Mul', [rotated, e.name(sin)], [b])
  e.node('Add', [a, b], [e.name(node.outputs[0] as Value)])
}

export const normalizationRows: Record<NormalizationOp, OpRow> = {
  /**
   * x / sqrt(mean(x^2) + epsilon) * weight over the last axis (arXiv:1910.07467). Inputs x [..., C], weight [C];
   * attribute `epsilon`; outputs y and the reciprocal of the root mean square [..., 1].
   */
  RmsNorm: {
    infer: application => {
      const [x, weight] = [required(application, 0), required(application, 1)]
      const dtype = sameType('RmsNorm', x, weight)
      if (!sameShape(weight.shape, x.shape.slice(-1)))
        throw new GraphError(`RmsNorm: [${weight.shape}] on [${x.shape}]`)
      return [
        { dtype, shape: x.shape },
        { dtype, shape: [...x.shape.slice(0, -1), 1] },
      ]
    },
    emit: { cpu: emitFusedRmsNorm, cuda: emitFusedRmsNorm, webgpu: emitRmsNorm },
    gradient: (node, [gradient, dr]) => {
      if (dr) throw new GraphError('RmsNorm has a gradient through its first output only')
      const dy = gradient as Value
      const [x, weight, r] = [required(node, 0), required(node, 1), node.outputs[1] as Value]
      const normal = mul(x, r)
      const scaled = mul(dy, weight)
      const dx = mul(r, sub(scaled, mul(normal, meanOver(mul(scaled, normal), -1))))
      return [dx, sumTo(mul(dy, normal), weight.shape)]
    },
  },
  /**
   * Rotary position embedding (arXiv:2104.09864), halves not interleaved. Inputs x [..., T, D], cos and sin
   * [T, D], each half the same. The tables get no gradient.
   */
  Rope: {
    infer: application => {
      const x = required(application, 0)
      const dim = dimAt(x.shape, -1)
      if (typeof dim !== 'number' || dim % 2) throw new GraphError(`Rope needs an even last axis, not ${dim}`)
      return [{ dtype: sameType('Rope', x, required(application, 1), required(application, 2)), shape: x.shape }]
    },
    emit: emitRope,
    gradient: (node, [gradient]) => {
      const dy = gradient as Value
      const [x, cos, sin] = [0, 1, 2].map(i => required(node, i)) as [Value, Value, Value]
      const half = (dimAt(x.shape, -1) as number) / 2
      const [first, second] = split(mul(dy, sin), -1, [half, half]) as [Value, Value]
      return [add(mul(dy, cos), concat([second, neg(first)], -1)), null, null]
    },
  },
  /** Gated linear unit: x sigmoid(x) * up, the two of one shape (SwiGLU, arXiv:2002.05202). */
  SiluMul: {
    infer: application => {
      const [x, up] = [required(application, 0), required(application, 1)]
      if (!sameShape(x.shape, up.shape)) throw new GraphError(`SiluMul: [${x.shape}] and [${up.shape}] differ`)
      const type = { dtype: sameType('SiluMul', x, up), shape: x.shape }
      return [type, type, type]
    },
    // The second and third outputs, sigmoid(x) and x sigmoid(x), are for the gradient.
    emit: (node, e) => {
      const [x, up] = [e.name(required(node, 0)), e.name(required(node, 1))]
      const [y, gate, silu] = node.outputs.map(v => e.name(v)) as [string, string, string]
      e.node('Sigmoid', [x], [gate])
      e.node('Mul', [x, gate], [silu])
      e.node('Mul', [silu, up], [y])
    },
    gradient: (node, [gradient, dgate, dsilu]) => {
      if (dgate || dsilu) throw new GraphError('SiluMul has a gradient through its first output only')
      const dy = gradient as Value
      const [up, gate, silu] = [required(node, 1), node.outputs[1] as Value, node.outputs[2] as Value]
      // dy (up s + y (1 - s)) with s = sigmoid(x): the slope times up, in the fewest passes over memory.
      const y = node.outputs[0] as Value
      return [mul(dy, add(y, mul(gate, sub(up, y)))), mul(dy, silu)]
    },
  },
}
