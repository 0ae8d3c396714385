import type { Op } from './op.ts'
import type { OpRow } from './opRow.ts'
import { contribRows } from './ops/contrib.ts'
import { elementwiseRows } from './ops/elementwise.ts'
import { indexingRows } from './ops/indexing.ts'
import { integerRows } from './ops/integer.ts'
import { linearRows } from './ops/linear.ts'
import { normalizationRows } from './ops/normalization.ts'
import { outputLayerRows } from './ops/outputLayer.ts'
import { reductionRows } from './ops/reduction.ts'
import { reshapingRows } from './ops/reshaping.ts'

/** The op table: shape rule, ONNX emission and gradient rule of each op. An op without a row does not compile. */
export const opTable: Record<Op, OpRow> = {
  ...elementwiseRows,
  ...reshapingRows,
  ...reductionRows,
  ...linearRows,
  ...indexingRows,
  ...normalizationRows,
  ...contribRows,
  ...integerRows,
  ...outputLayerRows,
}
