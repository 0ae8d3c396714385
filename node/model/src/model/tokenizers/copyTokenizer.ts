import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'

/** The files next to a model's weights and configuration: how text becomes tokens, and where generation ends. */
const FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'generation_config.json',
]

/**
 * Copies a model's tokenizer, chat template and generation settings into the folder of what was trained from it, so that others
 * can use that with text. Files that are there are left as they are, and what the model does not have is left out.
 *
 * @param from - the model's folder, as it was downloaded.
 * @param to - made if it is not there.
 */
export async function copyTokenizer(from: string, to: string): Promise<void> {
  makeFolder(to)
  for (const name of FILES) {
    const isFile = async (folder: string) => (await stat(join(folder, name)).catch(() => undefined))?.isFile() === true
    if ((await isFile(to)) || !(await isFile(from))) continue
    await writeFileAtomic(join(to, name), await readFile(join(from, name)))
  }
}
