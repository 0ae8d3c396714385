import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type DecoderConfig, readDecoderConfig } from './decoder/decoderConfig.ts'
import { endTokensSchema } from './decoder/huggingFaceConfig.ts'
import { readWeights, type Weights } from './decoder/weights.ts'
import { readJsonFile } from './files/jsonFile.ts'
import { mergeLora } from './lora/loraFactors.ts'
import { readLora } from './lora/loraFiles.ts'
import { ModelFileError } from './modelErrors.ts'

/** A model's files: input of the generator, the scorer and the trainer. */
export interface ModelFiles {
  readonly config: DecoderConfig
  /** In float32, by Hugging Face name, an adapter's updates added. */
  readonly weights: Weights
  /** Tokens after which a completion ends; none if the folder names none. */
  readonly stopTokens: readonly number[]
  /** The value of `generation_config.json`, which transformers applies to greedy generation too; 1 by default. */
  readonly repetitionPenalty: number
}

/**
 * Reads a model from a Hugging Face folder: `config.json`, one or many safetensors files, and the end tokens of
 * `generation_config.json`. No tokenizer is needed.
 *
 * @param options.adapter - folder of a PEFT LoRA adapter, whose updates are added to the weights.
 * @throws {ModelFileError} naming the file and the field that is missing, malformed, or not of this model.
 */
export async function readModel(folder: string, { adapter }: { adapter?: string } = {}): Promise<ModelFiles> {
  const config = await readDecoderConfig(folder)
  const defaults = await readGenerationDefaults(folder, config)
  const lora = adapter === undefined ? undefined : await readLora(adapter, config)
  const weights = await readWeights(folder, config)
  return { config, ...defaults, weights: lora ? mergeLora(weights, lora) : weights }
}

const generationSchema = z.object({
  eos_token_id: endTokensSchema,
  repetition_penalty: z.number().positive().lt(100).nullish(),
})

/**
 * Generation settings of a model's folder, found as transformers does: the end tokens of `generation_config.json` if it names
 * some, else those of `config.json` (ones outside the vocabulary are left out: they never come), and the repetition penalty.
 */
export async function readGenerationDefaults(
  folder: string,
  config: DecoderConfig,
): Promise<Pick<ModelFiles, 'stopTokens' | 'repetitionPenalty'>> {
  const path = join(folder, 'generation_config.json')
  const parsed = existsSync(path) ? generationSchema.safeParse(await readJsonFile(path)) : undefined
  if (parsed && !parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ModelFileError(path, issue?.path.join('.') || 'content', issue?.message ?? 'is malformed')
  }
  const named = parsed?.data.eos_token_id ?? config.endTokens ?? []
  return {
    stopTokens: [named].flat().filter(token => token >= 0 && token < config.vocabSize),
    repetitionPenalty: parsed?.data.repetition_penalty ?? 1,
  }
}
