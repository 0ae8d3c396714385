import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { determinismTests } from './determinism.ts'

// Two layers of Qwen2.5-0.5B, and its vocabulary.
determinismTests(
  {
    ...tinyConfig,
    vocabSize: 151_936,
    hiddenSize: 896,
    heads: 14,
    headDim: 64,
    intermediateSize: 4_864,
    maxPositions: 2_048,
  },
  [12, 65, 130, 257, 700],
  24,
)
