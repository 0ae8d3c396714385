import type { Value } from '../graph.ts'
import type { ContribOp } from '../op.ts'
import { CONTRIB, emitAs, type OpRow, required } from '../opRow.ts'

/**
 * Fused kernels of ONNX Runtime that only generation uses. They have no gradient: asking for one throws when the
 * graph is built.
 */
export const contribRows: Record<ContribOp, OpRow> = {
  /**
   * Inputs q [B, S, heads*D], k and v [B, S, kvHeads*D], past k and v [B, kvHeads, P, D], seqlens_k (i32 [B], the
   * row's total length minus 1), total length (i32 []); attributes `num_heads`, `kv_num_heads`, `scale`,
   * `do_rotary`. Outputs attention [B, S, heads*D], present k and v.
   */
  GroupQueryAttention: {
    infer: application => {
      const q = required(application, 0)
      const past = application.inputs[3] as Value | null
      const kv = {
        dtype: q.dtype,
        shape: past ? [past.shape[0] ?? 'B', past.shape[1] ?? 1, 'present', past.shape[3] ?? 1] : [],
      }
      return [{ dtype: q.dtype, shape: q.shape }, kv, kv]
    },
    emit: emitAs('GroupQueryAttention', CONTRIB),
    gradient: 'forwardOnly',
  },
  /** Inputs x [B, S, heads*D], position ids (i64 [B, S]), cos and sin [positions, D/2]; attribute `num_heads`. */
  RotaryEmbedding: {
    infer: application => {
      const x = required(application, 0)
      return [{ dtype: x.dtype, shape: x.shape }]
    },
    emit: emitAs('RotaryEmbedding', CONTRIB),
    gradient: 'forwardOnly',
  },
  /** RMS norm of x + skip. Inputs x, skip, weight; attribute `epsilon`. Outputs the norm and the sum. */
  SkipRmsNorm: {
    infer: application => {
      const x = required(application, 0)
      return [
        { dtype: x.dtype, shape: x.shape },
        { dtype: x.dtype, shape: x.shape },
      ]
    },
    emit: (node, e) => {
      const [y, sum] = node.outputs.map(v => e.name(v)) as [string, string]
      const inputs = node.inputs.map(v => e.name(v))
      e.node('SkipSimplifiedLayerNormalization', inputs, [y, '', '', sum], node.attributes, CONTRIB)
    },
    gradient: 'forwardOnly',
  },
}
