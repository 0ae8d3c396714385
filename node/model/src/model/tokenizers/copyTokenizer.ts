import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'

/** Files of the tokenizer and of the generation settings, next to a model's weights and configuration. */
const FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'generation_config.json',
]

/**
 * Copies a model's tokenizer, chat template and generation settings into the folder of a model trained from it, so that others can use it with
 * text. Existing files stay, and missing ones are skipped.
 *
 * @param from - the model's folder, as it was downloaded.
 * @param to - created if missing.
 */
export async function copyTokenizer(from: string, to: string): Promise<void> {
  makeFolder(to)
  for (const name of FILES) {
    const isFile = async (folder: string) => (await stat(join(folder, name)).catch(() => undefined))?.isFile() === true
    if ((await isFile(to)) || !(await isFile(from))) continue
    await writeFileAtomic(join(to, name), await readFile(join(from, name)))
  }
}
