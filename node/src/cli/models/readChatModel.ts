import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { UsageError } from '../usageError.ts'

/** Files that may contain a chat template. */
const TEMPLATES = ['chat_template.jinja', 'tokenizer_config.json']

/** Settings in a chat model's folder. */
type ChatModelFiles = {
  config: DecoderConfig
  tokenizer: PretrainedTokenizer
  /** Stop tokens of the tokenizer and of the generation defaults. */
  stopTokens: number[]
  repetitionPenalty: number
}

/** Refuses a folder without a chat model before reading weights. Modules are loaded when they are needed: `--help` must not wait for them. */
export async function readChatModel(folder: string): Promise<ChatModelFiles> {
  const [{ readDecoderConfig }, { PretrainedTokenizer }, { checkTokenizerFits }, { readGenerationDefaults }] =
    await Promise.all([
      import('#model/decoder/decoderConfig.ts'),
      import('#model/tokenizers/pretrainedTokenizer.ts'),
      import('#model/tokenizers/checkTokenizerFits.ts'),
      import('#model/readModel.ts'),
    ])
  if (!TEMPLATES.some(file => existsSync(join(folder, file))))
    throw new UsageError(`${folder} has no chat template, so it is not a chat model.`, {
      hint: 'Name one that has tokenizer_config.json. The starter models only write programs: npx waggle eval --policy DIR measures one.',
    })
  const config = await readDecoderConfig(folder)
  const tokenizer = await PretrainedTokenizer.read(folder)
  checkTokenizerFits(tokenizer, config, 'tokenizer.json')
  tokenizer.chatPrompt([{ role: 'user', content: 'x' }]) // throws without a template
  const { stopTokens, repetitionPenalty } = await readGenerationDefaults(folder, config)
  return { config, tokenizer, stopTokens: [...new Set([...tokenizer.endTokens, ...stopTokens])], repetitionPenalty }
}
