import { createHash } from 'node:crypto'
import type { DecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'

/** Budgets of the starter models, in tokens instead of minutes, so that runs are reproducible. */
export type Settings = {
  vocabSize: number
  /** Texts that the tokenizer is trained on. */
  tokenizerTasks: number
  solver: Shape & { tokens: number; learningRate: number; batchSize: number; chunk: number; proposalShare: number }
  judge: Shape & { tokens: number; learningRate: number; batchSize: number; chunk: number; brokenWeight: number }
  hardening: { tokens: number; learningRate: number; batchSize: number; chunk: number; brokenWeight: number }
  /** Tasks whose sampled answers are labelled by execution: two at temperature 1, and two at 1.5. */
  pool: { tasks: number; hotTasks: number }
  /** GRPO runs against the judge at rates that are too high on purpose, to find what fools it. */
  attacks: { name: string; rounds: number; learningRate: number; warmUpRounds: number; epochs: number }[]
  /** Tasks of each attacked solver to sample, four answers each, and pieces of code that is damaged, or has a calculation changed. */
  dumpTasks: number
  damaged: number
  miscalculated: number
  calibrationPairs: number
  /** Size of the report's sets, canary tasks and answers to each, and rounds of the shared GRPO run. */
  report: {
    pairs: number
    canaryTasks: number
    samples: number
    rounds: number
    peers: number
    proposals: number
    /** Tasks of the shared run: the solver's own proposals, or drawn where it is too poor to propose. */
    tasks: 'proposed' | 'drawn'
  }
}

type Shape = { hiddenSize: number; layers: number; intermediateSize: number }

export const fullSettings: Settings = {
  vocabSize: 640,
  tokenizerTasks: 12_000,
  solver: {
    hiddenSize: 128,
    layers: 4,
    intermediateSize: 384,
    tokens: 2_400_000,
    learningRate: 2e-3,
    batchSize: 32,
    chunk: 6_000,
    proposalShare: 0.12,
  },
  judge: {
    hiddenSize: 160,
    layers: 4,
    intermediateSize: 448,
    tokens: 3_400_000,
    learningRate: 2e-3,
    batchSize: 48,
    chunk: 5_600,
    brokenWeight: 4,
  },
  hardening: { tokens: 4_800_000, learningRate: 1.2e-3, batchSize: 48, chunk: 5_200, brokenWeight: 3 },
  pool: { tasks: 4_000, hotTasks: 1_400 },
  attacks: [
    { name: 'high-rate', rounds: 60, learningRate: 3e-4, warmUpRounds: 5, epochs: 1 },
    { name: 'two-epochs', rounds: 40, learningRate: 3e-4, warmUpRounds: 0, epochs: 2 },
  ],
  dumpTasks: 500,
  damaged: 8_000,
  miscalculated: 16_000,
  calibrationPairs: 1_500,
  report: { pairs: 600, canaryTasks: 100, samples: 8, rounds: 30, peers: 3, proposals: 300, tasks: 'proposed' },
}

/** Every stage, in seconds: proves that the pipeline runs, not that it teaches. */
export const smokeSettings: Settings = {
  ...fullSettings,
  vocabSize: 480,
  tokenizerTasks: 200,
  solver: { ...fullSettings.solver, hiddenSize: 32, layers: 2, intermediateSize: 64, tokens: 60_000, chunk: 300 },
  judge: { ...fullSettings.judge, hiddenSize: 32, layers: 2, intermediateSize: 64, tokens: 30_000, chunk: 300 },
  hardening: { ...fullSettings.hardening, tokens: 10_000, chunk: 200 },
  pool: { tasks: 10, hotTasks: 5 },
  attacks: [{ name: 'high-rate', rounds: 1, learningRate: 3e-4, warmUpRounds: 1, epochs: 1 }],
  dumpTasks: 4,
  damaged: 30,
  miscalculated: 30,
  calibrationPairs: 60,
  report: { pairs: 20, canaryTasks: 4, samples: 2, rounds: 1, peers: 2, proposals: 5, tasks: 'drawn' },
}

export function decoderConfig(shape: Shape, vocabSize: number): DecoderConfig {
  return {
    architecture: 'qwen2',
    vocabSize,
    hiddenSize: shape.hiddenSize,
    layers: shape.layers,
    heads: 4,
    kvHeads: 2,
    headDim: shape.hiddenSize / 4,
    intermediateSize: shape.intermediateSize,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    ropeScaling: null,
    attentionBias: 'qkv',
    mlpBias: false,
    queryKeyNorm: false,
    tieWordEmbeddings: true,
    maxPositions: 256,
    endTokens: [0],
  }
}

/** Hash of the settings that a stage's output depends on besides the code: a finished stage is redone if it differs. */
export function settingsHash(settings: Settings, seed: number): string {
  return createHash('sha256').update(JSON.stringify({ settings, seed })).digest('hex').slice(0, 16)
}
