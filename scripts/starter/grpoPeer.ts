import { copyWeights, type Weights } from '../../node/model/src/model/decoder/weights.ts'
import { createAdaptedGenerator } from '../../node/model/src/model/generation/adaptedGenerator.ts'
import { createGenerator, type Generator } from '../../node/model/src/model/generation/generate.ts'
import type { LoraConfig } from '../../node/model/src/model/lora/loraConfig.ts'
import { initLora, type LoraAdapter } from '../../node/model/src/model/lora/loraFactors.ts'
import { bakedParts, frozenParts } from '../../node/model/src/model/quantization/frozenParts.ts'
import { quantizeWeights } from '../../node/model/src/model/quantization/quantizedTensors.ts'
import type { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { groupStep, type RolloutGroup } from '../../node/model/src/rl/groupStep.ts'
import { createTrainer } from '../../node/model/src/rl/trainer.ts'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import type { Level, Task } from '../../node/src/environments/codezero/curriculum/task.ts'
import type { CodeZeroSpec } from '../../node/src/environments/codezero/environmentSpec.ts'
import type { CodeJudge } from '../../node/src/environments/codezero/judge/createJudge.ts'
import { completionText, solverPrompt } from '../../node/src/environments/codezero/prompts.ts'
import { scoreAnswers } from '../../node/src/environments/codezero/scoreAnswers.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import type { StoredModel } from './workFolder.ts'

/** The answers to one task, with the rewards of the taker's own judge. */
export type Group = RolloutGroup & { task: Task }

export type GrpoPeer = {
  model: StoredModel
  generator: Generator
  /** Answers to the tasks, scored; drawn training tasks where none are given. */
  rollouts(round: number, tasks?: readonly Task[]): Promise<Group[]>
  /** One update on these groups; does nothing where no group teaches anything. */
  update(groups: readonly Group[], round: number, epochs?: number): Promise<void>
  dispose(): Promise<void>
}

export type PeerOptions = {
  base: StoredModel
  tokenizer: Tokenizer
  judge: CodeJudge
  spec: CodeZeroSpec
  level: Level
  seed: string
  threads: number
  /** An adapter to train instead of the weights, over a base in float32 or in 8-bit integers. */
  adapter?: { lora: LoraConfig; precision: 'float32' | 'int8' }
}

/** A solver that trains on rewards of the judge alone, as the swarm's solvers do, without a network. */
export async function createGrpoPeer(options: PeerOptions): Promise<GrpoPeer> {
  const { base, tokenizer, judge, spec, level, seed, threads } = options
  const { training } = spec
  const weights = copyWeights(base.weights)
  const adapter = options.adapter && initLora(base.config, options.adapter.lora, `${seed} adapter`)
  const [beta1, beta2] = training.betas
  const trainer = await createTrainer(base.config, weights, {
    threads,
    optimizer: { kind: 'adamW', beta1, beta2, weightDecay: training.weightDecay },
    clipNorm: training.maxGradientNorm,
    ...(adapter ? { adapter, layered: true, precision: options.adapter?.precision ?? 'float32' } : {}),
  })
  const generator = adapter
    ? await adaptedGenerator(options, weights, adapter)
    : createGenerator(base.config, weights, { threads })
  return {
    model: { config: base.config, weights },
    generator,
    rollouts: async (round, given) => {
      const random = seededRandom(`${seed} tasks ${round}`)
      const tasks = given ?? Array.from({ length: spec.tasksPerRound }, () => drawTrainingTask(level, random))
      return rolloutGroups(tasks, { tokenizer, judge, spec, generator, seed: `${seed} answers ${round}` })
    },
    update: async (groups, round, epochs = 1) => {
      const learningRate = training.learningRate * Math.min(1, (round + 1) / Math.max(1, training.warmUpRounds))
      const { clipLow, clipHigh, minGroupDeviation } = training
      const options = { learningRate, clipLow, clipHigh, minDeviation: minGroupDeviation }
      for (let i = 0; i < epochs; i++) await groupStep(trainer, groups, options)
    },
    dispose: async () => {
      await trainer.dispose()
      await generator.dispose()
    },
  }
}

async function adaptedGenerator(
  { base: { config }, threads, adapter: chosen }: PeerOptions,
  weights: Weights,
  adapter: LoraAdapter,
): Promise<Generator> {
  const base =
    chosen?.precision === 'int8'
      ? frozenParts(config, await quantizeWeights(config, weights, 'int8'))
      : bakedParts(config, weights)
  return createAdaptedGenerator(config, base, adapter, { threads })
}

async function rolloutGroups(
  tasks: readonly Task[],
  options: Pick<PeerOptions, 'tokenizer' | 'judge' | 'spec'> & { generator: Generator; seed: string },
): Promise<Group[]> {
  const { tokenizer, judge, spec, generator, seed } = options
  const prompts = tasks.map(task => solverPrompt(tokenizer, task))
  const completions = await generator.generate({
    prompts,
    samplesPerPrompt: spec.groupSize,
    maxNewTokens: spec.solving.maxNewTokens,
    temperature: spec.solving.temperature,
    stopToken: tokenizer.special('<eos>'),
    seed,
  })
  const scores = await scoreAnswers(
    judge,
    spec.weights,
    completions.map(({ prompt, tokens, ended }) => ({
      problem: tasks[prompt] as Task,
      text: completionText(tokenizer, tokens, ended),
      ended,
    })),
  )
  return tasks.map((task, i) => ({
    task,
    prompt: prompts[i] as Int32Array,
    completions: completions
      .map(({ prompt, tokens, logprobs }, k) => ({ prompt, tokens, logprobs, reward: scores[k]?.score ?? 0 }))
      .filter(({ prompt }) => prompt === i),
  }))
}

/** Mean reward over all answers. */
export function meanReward(groups: readonly Group[]): number {
  const rewards = groups.flatMap(({ completions }) => completions.map(({ reward }) => reward))
  return rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
}
