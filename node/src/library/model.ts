import { type Completion, createGenerator, type GenerateOptions, type Generator } from '#model/generate.ts'
import { positionLogits } from '#model/positionLogits.ts'
import { type ModelFiles, readModel } from '#model/readModel.ts'
import { createScorer, type Scorer, type SequenceScores, type SequenceToScore } from '#model/score.ts'
import { type GroupStepOptions, type GroupStepReport, groupStep, type RolloutGroup } from '#rl/groupStep.ts'
import { createTrainer, type Trainer, type TrainerOptions } from '#rl/trainer.ts'

export interface ModelOptions {
  /** Folder of a PEFT LoRA adapter, whose updates are added to the weights. */
  readonly adapter?: string
  /** For one product; 2 by default. No result depends on it. */
  readonly threads?: number
  /** How `trainStep` learns. It changes the weights themselves; a trainer of an adapter is made by `createTrainer`. */
  readonly training?: Omit<TrainerOptions, 'threads' | 'adapter'>
}

/**
 * A model that generates, scores and learns. There is one set of weights: a training step changes it in place, and what is
 * generated next is generated with it. What runs it is made when it is first needed.
 */
export class Model {
  readonly config: ModelFiles['config']
  readonly weights: ModelFiles['weights']
  readonly stopTokens: ModelFiles['stopTokens']
  readonly #threads: number
  readonly #training: ModelOptions['training']
  #generator: Generator | undefined
  #scorer: Scorer | undefined
  #trainer: Promise<Trainer> | undefined

  constructor({ config, weights, stopTokens }: ModelFiles, { threads = 2, training }: ModelOptions = {}) {
    this.config = config
    this.weights = weights
    this.stopTokens = stopTokens
    this.#threads = threads
    this.#training = training
  }

  get threads(): number {
    return this.#threads
  }

  get generator(): Generator {
    this.#generator ??= createGenerator(this.config, this.weights, { threads: this.#threads })
    return this.#generator
  }

  get scorer(): Scorer {
    this.#scorer ??= createScorer(this.config, this.weights, { threads: this.#threads })
    return this.#scorer
  }

  get trainer(): Promise<Trainer> {
    this.#trainer ??= createTrainer(this.config, this.weights, { ...this.#training, threads: this.#threads })
    return this.#trainer
  }

  /** Waits for what runs, then frees it. */
  async dispose(): Promise<void> {
    await this.#generator?.dispose()
    await this.#scorer?.dispose()
    await (await this.#trainer)?.dispose()
  }
}

/**
 * Reads a model from a Hugging Face folder; its weights in float32.
 *
 * @throws {ModelFileError} naming the file and the field that is missing, malformed, or not of this model.
 */
export async function loadModel(folder: string, options: ModelOptions = {}): Promise<Model> {
  const { adapter } = options
  return new Model(await readModel(folder, adapter === undefined ? {} : { adapter }), options)
}

/**
 * Samples completions of prompts, in prompt-major order.
 *
 * @param options - one sample a prompt by default, of at most 128 new tokens, at temperature 1, up to the model's end token,
 *   with the seed '0': the same call gives the same completions.
 * @throws {ModelInputError} on an empty prompt, an unknown token, or a prompt longer than the model's positions.
 */
export function generate(
  model: Model,
  options: Partial<GenerateOptions> & Pick<GenerateOptions, 'prompts'>,
): Promise<Completion[]> {
  const [stopToken = -1] = model.stopTokens
  return model.generator.generate({
    samplesPerPrompt: 1,
    maxNewTokens: 128,
    temperature: 1,
    stopToken,
    seed: '0',
    ...options,
  })
}

/** Scores given tokens by teacher forcing; see `Scorer`. */
export function score(model: Model, sequences: readonly SequenceToScore[]): Promise<SequenceScores[]> {
  return model.scorer.score(sequences)
}

/** Logits `[vocabSize]` after each token of a sequence, in order; see `positionLogits`. */
export function logits(model: Model, tokens: Int32Array): AsyncGenerator<Float32Array> {
  return positionLogits(model, tokens, { threads: model.threads })
}

/**
 * One policy-gradient step on groups of completions with their rewards, in place.
 *
 * @throws {TrainerError} if a group is malformed, or the step would make the weights no numbers.
 */
export async function trainStep(
  model: Model,
  groups: readonly RolloutGroup[],
  options: GroupStepOptions,
): Promise<GroupStepReport> {
  return groupStep(await model.trainer, groups, options)
}
