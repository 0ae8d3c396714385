import { once } from '#base/once.ts'
import { checkOptions, generateSchema, modelSchema } from '#model/checkOptions.ts'
import { requireConstants } from '#model/decoder/constantWeights.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Weights } from '#model/decoder/weights.ts'
import type { Device } from '#model/devices.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import { createGenerator, type Generator } from '#model/generation/generate.ts'
import { disposedError } from '#model/liveSession.ts'
import type { LoraConfig } from '#model/lora/loraConfig.ts'
import { initLora, type LoraAdapter, mergeLora } from '#model/lora/loraFactors.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import { bakedParts, type Freeze, frozenParts } from '#model/quantization/frozenParts.ts'
import { locateFrozenTensors } from '#model/quantization/frozenTensors.ts'
import { quantizeWeights } from '#model/quantization/quantizedTensors.ts'
import { type ModelFiles, readModel } from '#model/readModel.ts'
import { createAdaptedScorer } from '#model/scoring/adaptedScorer.ts'
import { positionLogits } from '#model/scoring/positionLogits.ts'
import { createScorer, type Scorer, type SequenceScores } from '#model/scoring/score.ts'
import type { SequenceToScore } from '#model/scoring/scoringTasks.ts'
import { type GroupStepOptions, type GroupStepReport, groupStep, type RolloutGroup } from '#rl/groupStep.ts'
import { checkOptions as checkTrainerOptions, trainerSchema } from '#rl/stepOptions.ts'
import { createTrainer, type Trainer } from '#rl/trainer.ts'
import type { TrainerOptions } from '#rl/trainerOptions.ts'

export interface ModelOptions {
  /** Folder of a PEFT LoRA adapter, whose updates are added to the weights. */
  readonly adapter?: string
  /** Threads per matrix product; 2 by default. Results do not depend on it. */
  readonly threads?: number
  /** Device that generates, scores and trains; `cpu` by default. `reportDevices` lists the devices that work on this machine. */
  readonly device?: Device
  /** Options of the trainer: `trainStep` updates all weights in place, or an adapter over them, which generation and scoring then use. */
  readonly training?: Omit<TrainerOptions, 'threads' | 'device' | 'adapter'> & {
    /** A fresh adapter of this shape, or an existing one. */
    readonly adapter?: LoraConfig | LoraAdapter
  }
}

interface RunOptions {
  readonly threads: number
  readonly device: Device
}

type Session = Generator | Scorer | Trainer

/**
 * A model that generates, scores and learns. All three share one set of weights, or of adapter factors: a training step updates it in place, and
 * later generation uses the update. Sessions are created on first use.
 */
export class Model {
  readonly config: ModelFiles['config']
  readonly weights: ModelFiles['weights']
  readonly stopTokens: ModelFiles['stopTokens']
  readonly repetitionPenalty: ModelFiles['repetitionPenalty']
  /** The adapter that is trained instead of the weights, if configured. */
  readonly adapter: LoraAdapter | undefined
  readonly threads: number
  readonly device: Device
  readonly #training: Omit<TrainerOptions, 'adapter'>
  readonly #folder: string | undefined
  readonly #sessions = new Map<string, Promise<Session>>()
  #disposed: Promise<void> | undefined

  /** @param folder - with the files of these weights, from which an adapter's base is read in place. */
  constructor(
    { config, weights, stopTokens, repetitionPenalty }: ModelFiles,
    options: ModelOptions = {},
    folder?: string,
  ) {
    const { threads = 2, device = 'cpu', training: { adapter, ...training } = {} } = options
    this.config = config
    this.weights = weights
    this.stopTokens = stopTokens
    this.repetitionPenalty = repetitionPenalty
    this.adapter = adapter && ('factors' in adapter ? adapter : initLora(config, adapter, 'adapter'))
    this.threads = threads
    this.device = device
    this.#training = { ...training, threads, device }
    this.#folder = folder
    checkTrainerOptions(trainerSchema, this.#training)
  }

  get generator(): Promise<Generator> {
    return this.#session('generator', () => this.#open(createAdaptedGenerator, createGenerator))
  }

  get scorer(): Promise<Scorer> {
    return this.#session('scorer', () => this.#open(createAdaptedScorer, createScorer))
  }

  get trainer(): Promise<Trainer> {
    const adapter = this.adapter ? { adapter: this.adapter } : {}
    return this.#session('trainer', () => createTrainer(this.config, this.weights, { ...this.#training, ...adapter }))
  }

  /** Waits for running calls, then frees the sessions. The weights stay; later calls are refused. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#free()
    return this.#disposed
  }

  async #free(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#sessions.values()))
      if (opened.status === 'fulfilled') await opened.value.dispose()
  }

  /** Opens a session at its first use, and again at the next if that failed. */
  #session<T extends Session>(name: string, open: () => Promise<T>): Promise<T> {
    if (this.#disposed) throw disposedError()
    return once(this.#sessions, name, open) as Promise<T>
  }

  async #open<T>(
    adapted: (config: DecoderConfig, base: Freeze, adapter: LoraAdapter, options: RunOptions) => Promise<T>,
    plain: (config: DecoderConfig, weights: Weights, options: RunOptions) => T,
  ): Promise<T> {
    const { config, weights, adapter, threads, device } = this
    const options = { threads, device }
    return adapter ? adapted(config, await this.#base(), adapter, options) : plain(config, weights, options)
  }

  /** Number format in which the trainer computes with frozen weights. */
  async #base(): Promise<Freeze> {
    const { config, weights } = this
    if (this.#training.precision === 'int8') return frozenParts(config, await quantizeWeights(config, weights, 'int8'))
    if (this.#folder !== undefined) return frozenParts(config, await locateFrozenTensors(this.#folder, config))
    requireConstants(weights)
    return bakedParts(config, weights)
  }
}

/**
 * Loads a model from a Hugging Face folder, to generate, score and train. Weights are kept in memory in float32, since training changes them: 4 bytes
 * per parameter, plus as much for each of the generator and the scorer once they are used; both refuse 2 GiB or more. With a trained adapter they
 * read the folder in place, at any size. To generate or score only, use `loadGenerator` and `loadScorer`: they read the folder in place, or in 8 or 4
 * bits.
 *
 * @throws {ModelFileError} naming the file and the field that is missing, malformed, or not of this model.
 */
export async function loadModel(folder: string, options: ModelOptions = {}): Promise<Model> {
  checkOptions(modelSchema, options, 'loadModel')
  const { adapter } = options
  if (adapter === undefined) return new Model(await readModel(folder), options, folder)
  return new Model(await readModel(folder, { adapter }), options)
}

/**
 * Samples completions of prompts, in prompt-major order.
 *
 * @param options - by default one sample per prompt, at most 128 new tokens, temperature 1, the model's end tokens, and the seed '0': the same call
 * returns the same completions. At temperature 0 the model's own repetition penalty applies, as in transformers.
 * @throws {ModelInputError} on an empty prompt, an unknown token, a prompt longer than the model's positions, or a disposed model.
 */
export async function generate(
  model: Model,
  options: Partial<GenerateOptions> & Pick<GenerateOptions, 'prompts'>,
): Promise<Completion[]> {
  requireModel(model)
  checkOptions(generateSchema.partial().required({ prompts: true }), options, 'generate')
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as typeof options
  const [stopToken = -1, ...moreStopTokens] = model.stopTokens
  const isPenalized = options.temperature === 0 && model.repetitionPenalty !== 1
  const generator = await model.generator
  return generator.generate({
    samplesPerPrompt: 1,
    maxNewTokens: 128,
    temperature: 1,
    stopToken,
    moreStopTokens,
    seed: '0',
    ...(isPenalized ? { repetitionPenalty: model.repetitionPenalty } : {}),
    ...given,
  })
}

/** Scores given tokens by teacher forcing; see `Scorer`. */
export async function score(model: Model, sequences: readonly SequenceToScore[]): Promise<SequenceScores[]> {
  requireModel(model)
  return (await model.scorer).score(sequences)
}

/** Logits `[vocabSize]` after each token of a sequence, in order; see `positionLogits`. */
export function logits(model: Model, tokens: Int32Array): AsyncGenerator<Float32Array> {
  requireModel(model)
  const { config, adapter, threads, device } = model
  const weights = adapter ? mergeLora(model.weights, adapter) : model.weights
  return positionLogits({ config, weights }, tokens, { threads, device })
}

/**
 * One policy-gradient step on groups of completions with their rewards, in place.
 *
 * @throws {TrainerError} if a group is malformed, an option is unknown, or the step would make a weight NaN or infinite; nothing has changed then.
 */
export async function trainStep(
  model: Model,
  groups: readonly RolloutGroup[],
  options: GroupStepOptions,
): Promise<GroupStepReport> {
  requireModel(model)
  const trainer = await model.trainer
  const report = await groupStep(trainer, groups, options)
  await trainer.readBack()
  return report
}

function requireModel(model: unknown): void {
  if (model instanceof Model) return
  throw new ModelInputError('not a loaded model', { hint: 'Pass what loadModel resolves to.' })
}
