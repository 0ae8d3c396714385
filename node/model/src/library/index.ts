/**
 * The model half of Waggle as a library: decoders, their files, tokenizers, generation, scoring and training, on ONNX Runtime.
 *
 * @example
 * const model = await loadModel('path/to/Qwen2.5-Coder-0.5B-Instruct')
 * const [completion] = await generate(model, { prompts: [Int32Array.of(1, 2, 3)], maxNewTokens: 32 })
 * await model.dispose()
 *
 * @module @waggle/model
 */

import './requireNode.ts'

export * from '#model/index.ts'
export { readOptimizerState, saveAdapterCheckpoint, saveCheckpoint } from '#rl/checkpoint.ts'
export { type GroupAdvantages, type GroupAdvantagesOptions, groupAdvantages } from '#rl/groupAdvantages.ts'
export { type GroupStepOptions, type GroupStepReport, groupStep, type RolloutGroup } from '#rl/groupStep.ts'
export { type LearningRateSchedule, learningRateAt } from '#rl/optimizers/learningRate.ts'
export type { PolicyBatchOptions, PolicySequence } from '#rl/passes/policyBatch.ts'
export { createTrainer, type Trainer } from '#rl/trainer.ts'
export type { StepReport, TrainerOptions } from '#rl/trainerOptions.ts'
export { generate, loadModel, logits, Model, type ModelOptions, score, trainStep } from './model.ts'
export { type TrainMetrics, type TrainOptions, type TrainTask, train } from './train.ts'
