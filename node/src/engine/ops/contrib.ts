import { GraphError } from '../engineError.ts'
import type { ContribOp } from '../op.ts'
import { CONTRIB, emitAs, floatAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { sameShape } from '../shapes.ts'

/**
 * Fused kernels of ONNX Runtime that only generation uses. They have no gradient: asking for one throws when the
 * graph is built.
 */
export const contribRows: Record<ContribOp, OpRow> = {
  /** Inputs x [B, heads, S, D], position ids (i64 [B, S]), cos and sin [positions, D/2]. */
  RotaryEmbedding: {
    infer: application => {
      const x = required(application, 0)
      return [{ dtype: x.dtype, shape: x.shape }]
    },
    emit: emitAs('RotaryEmbedding', CONTRIB),
    gradient: 'forwardOnly',
  },
  /**
   * `RmsNorm` of a sum. Inputs x, y [R, C], weight [C]; attribute `epsilon`; outputs the norm of x + y, and x + y.
   */
  AddRmsNorm: {
    infer: application => {
      const [x, y] = [required(application, 0), required(application, 1)]
      const dtype = sameType('AddRmsNorm', x, y, required(application, 2))
      if (!sameShape(x.shape, y.shape)) throw new GraphError(`AddRmsNorm: [${x.shape}] and [${y.shape}] differ`)
      return [
        { dtype, shape: x.shape },
        { dtype, shape: x.shape },
      ]
    },
    emit: (node, e) => {
      const [normal, sum] = node.outputs.map(value => e.name(value)) as [string, string]
      const inputs = node.inputs.map(value => e.name(value))
      const attributes = { epsilon: { float: floatAttribute(node.attributes, 'epsilon', 1e-6) } }
      e.node('SkipSimplifiedLayerNormalization', inputs, [normal, '', '', sum], attributes, CONTRIB)
    },
    gradient: 'forwardOnly',
  },
}
