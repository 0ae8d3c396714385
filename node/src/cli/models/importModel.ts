import { showShare } from '../showShare.ts'
import { untilInterrupted } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

/** `waggle model import`: a Hugging Face folder of a GGUF file. @throws {UsageError} if a file or a folder is not named. */
export async function importModel(
  file: string | undefined,
  { out, json }: { out?: string | undefined; json: boolean },
): Promise<void> {
  if (file === undefined || out === undefined)
    throw new UsageError(`model import needs ${file === undefined ? 'a file' : '--out'}.`, {
      hint: 'Call model import FILE.gguf --out DIR.',
    })
  const { importGguf } = await import('#model/gguf/importGguf.ts')
  const onProgress = showShare(tenths => `import: ${10 * tenths} %`)
  await importGguf(file, out, { onProgress, signal: untilInterrupted() })
  console.log(json ? JSON.stringify({ folder: out }) : `The model is in ${out}.`)
}
