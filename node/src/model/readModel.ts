import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type DecoderConfig, readDecoderConfig } from './decoderConfig.ts'
import { readJsonFile } from './jsonFile.ts'
import { mergeLora } from './loraFactors.ts'
import { readLora } from './loraFiles.ts'
import { ModelFileError } from './modelErrors.ts'
import { readWeights, type Weights } from './weights.ts'

/** A model as its folder says: what the generator, the scorer and the trainer are made from. */
export interface ModelFiles {
  readonly config: DecoderConfig
  /** In float32, by Hugging Face name, an adapter's updates added. */
  readonly weights: Weights
  /** Tokens after which a completion ends; none if the folder names none. */
  readonly stopTokens: readonly number[]
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
  const stopTokens = await readStopTokens(folder, config)
  const lora = adapter === undefined ? undefined : await readLora(adapter, config)
  const weights = await readWeights(folder, config)
  return { config, stopTokens, weights: lora ? mergeLora(weights, lora) : weights }
}

const stopSchema = z.object({
  eos_token_id: z.union([z.int(), z.array(z.int()).max(64)], 'must be a token id or a list of some').nullish(),
})

/** End tokens as transformers finds them: in `generation_config.json` if it names some, else in `config.json`. */
async function readStopTokens(folder: string, { vocabSize }: DecoderConfig): Promise<readonly number[]> {
  for (const name of ['generation_config.json', 'config.json']) {
    const path = join(folder, name)
    if (!existsSync(path)) continue
    const parsed = stopSchema.safeParse(await readJsonFile(path))
    const tokens = parsed.data?.eos_token_id
    const isKnown = (token: number) => token >= 0 && token < vocabSize
    if (!parsed.success || ![tokens ?? []].flat().every(isKnown))
      throw new ModelFileError(
        path,
        'eos_token_id',
        `must be a token of the vocabulary of ${vocabSize}, or a list of some`,
      )
    if (tokens !== undefined && tokens !== null) return [tokens].flat()
  }
  return []
}
