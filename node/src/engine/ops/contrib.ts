import type { ContribOp } from '../op.ts'
import { CONTRIB, emitAs, type OpRow, required } from '../opRow.ts'

/**
 * Fused kernels of ONNX Runtime that only generation uses. They have no gradient: asking for one throws when the
 * graph is built.
 */
export const contribRows: Record<ContribOp, OpRow> = {
  /** Inputs x [B, S, heads*D], position ids (i64 [B, S]), cos and sin [positions, D/2]; attribute `num_heads`. */
  RotaryEmbedding: {
    infer: application => {
      const x = required(application, 0)
      return [{ dtype: x.dtype, shape: x.shape }]
    },
    emit: emitAs('RotaryEmbedding', CONTRIB),
    gradient: 'forwardOnly',
  },
}
