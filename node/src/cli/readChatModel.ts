import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { PretrainedTokenizer } from '#model/pretrainedTokenizer.ts'

/** What a chat model's folder says besides its weights. */
export type ChatModelFiles = {
  config: DecoderConfig
  tokenizer: PretrainedTokenizer
  /** Of the tokenizer and of the generation defaults. */
  stopTokens: number[]
  repetitionPenalty: number
}

/** Refuses what is not a chat model before its weights are read. Modules are loaded when they are needed: `--help` must not wait for them. */
export async function readChatModel(folder: string): Promise<ChatModelFiles> {
  const [{ readDecoderConfig }, { PretrainedTokenizer }, { checkTokenizerFits }, { readGenerationDefaults }] =
    await Promise.all([
      import('#model/decoderConfig.ts'),
      import('#model/pretrainedTokenizer.ts'),
      import('#model/checkTokenizerFits.ts'),
      import('#model/readModel.ts'),
    ])
  const config = await readDecoderConfig(folder)
  const tokenizer = await PretrainedTokenizer.read(folder)
  checkTokenizerFits(tokenizer, config, 'tokenizer.json')
  tokenizer.chatPrompt([{ role: 'user', content: 'x' }]) // throws without a template
  const { stopTokens, repetitionPenalty } = await readGenerationDefaults(folder, config)
  return { config, tokenizer, stopTokens: [...new Set([...tokenizer.endTokens, ...stopTokens])], repetitionPenalty }
}
