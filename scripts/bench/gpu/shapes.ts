import { commonShape } from '../../../node/model/src/model/decoder/commonShape.ts'
import type { DecoderConfig } from '../../../node/model/src/model/decoder/decoderConfig.ts'

/** Load of the GPU's benchmark: a model's shape, batch sizes and lengths. */
export interface GpuShape {
  readonly name: string
  readonly config: DecoderConfig
  /** Completions of a GRPO step, and the tokens of each and of their prompt; rank of the adapter. */
  readonly step: { sequences: number; prompt: number; completion: number; rank: number }
  /** Tokens of a decode run, and of each completion of a solver's round. */
  readonly decodeTokens: number
  readonly roundTokens: number
  /** Width of the square matrices that bandwidth and products are measured with. */
  readonly width: number
}

export const gpuShapes = {
  full: {
    name: 'Qwen2.5-0.5B',
    config: commonShape,
    step: { sequences: 8, prompt: 128, completion: 512, rank: 16 },
    decodeTokens: 96,
    roundTokens: 128,
    width: 8192,
  },
  /** To try the run itself, in software too: its figures mean nothing. */
  tiny: {
    name: 'a tiny model',
    config: {
      ...commonShape,
      vocabSize: 256,
      hiddenSize: 32,
      layers: 1,
      heads: 2,
      kvHeads: 1,
      headDim: 16,
      intermediateSize: 64,
    },
    step: { sequences: 2, prompt: 8, completion: 8, rank: 2 },
    decodeTokens: 6,
    roundTokens: 4,
    width: 64,
  },
} as const satisfies Record<string, GpuShape>
