import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { determinismTests } from './determinism.ts'

// Wide enough that products are cut into several blocks by rows, columns and depth.
determinismTests(
  {
    ...tinyConfig,
    vocabSize: 4_224,
    hiddenSize: 512,
    heads: 8,
    headDim: 64,
    intermediateSize: 1_408,
    maxPositions: 512,
  },
  [9, 40, 17, 290],
  6,
)
