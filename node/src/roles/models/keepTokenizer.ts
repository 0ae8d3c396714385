import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'

const FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'generation_config.json',
  'chat_template.jinja',
]

/** Copies a model's tokenizer next to the weights that are trained from it, so that the folder is a complete model. */
export async function keepTokenizer(from: string, to: string): Promise<void> {
  makeFolder(to)
  for (const name of FILES)
    await copyFile(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
}
