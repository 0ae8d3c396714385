import { GraphError } from '../engineError.ts'
import type { ContribOp } from '../op.ts'
import { CONTRIB, emitAs, floatAttribute, integerAttribute, type OpRow, required, sameType } from '../opRow.ts'
import { sameShape } from '../shapes.ts'
import type { Value } from '../value.ts'

/**
 * Fused kernels of ONNX Runtime that only generation uses. They have no gradient: requesting one throws when the graph is built.
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
  /**
   * Grouped-query attention over a cache that it appends to. Inputs queries [B, S, heads * D], keys and values [B, S, kvHeads * D], or all three side by side in the
   * first; the cache's keys and values [B, kvHeads, P, D]; `lastPlace` i32 [B], the place of each row's last token after this run; `filled` i32 [], places of the longest row after
   * it; and rotary tables [R, D / 2] where it turns queries and keys. Attributes `num_heads`, `kv_num_heads`, `do_rotary`, `scale`. Outputs [B, S, heads * D] and the cache, which is
   * not copied where it is written into the tensors that were fed. More than one token a row: of one row only, unless the cache is empty.
   */
  GroupedAttention: {
    infer: application => {
      const [query, keys, values] = [0, 3, 4].map(i => required(application, i)) as [Value, Value, Value]
      const dtype = sameType('GroupedAttention', query, keys, values)
      const heads = integerAttribute(application.attributes, 'num_heads', 0)
      const width = heads * (keys.shape[3] as number)
      return [
        { dtype, shape: [...query.shape.slice(0, 2), width] },
        { dtype, shape: keys.shape },
        { dtype, shape: values.shape },
      ]
    },
    emit: emitAs('GroupQueryAttention', CONTRIB),
    gradient: 'forwardOnly',
  },
}
