import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#core/clock.ts'
import { underLock } from '#hub/lockCache.ts'
import { showShare } from '../showShare.ts'

export const isGguf = (path: string): boolean => /\.gguf$/i.test(path)

/**
 * The folder of a GGUF file's model, imported under its content's hash the first time, with progress on stderr.
 *
 * @param models - where downloaded models are kept.
 * @throws {ModelFileError} naming the file and the field.
 */
export async function openGguf(path: string, models: string, signal?: AbortSignal): Promise<string> {
  const { withRegularFile } = await import('#model/files/regularFile.ts')
  const { fingerprint } = await import('#model/files/fileFingerprint.ts')
  await withRegularFile(path, async () => {}) // hashing a pipe would wait for its writer
  const { sha256 } = await fingerprint(path, signal)
  const folder = join(models, 'gguf', sha256)
  await underLock(`${folder}.lock`, { clock: systemClock, signal }, async () => {
    if (existsSync(folder)) return
    const { importGguf } = await import('#model/gguf/importGguf.ts')
    await importGguf(path, folder, { onProgress: showShare(tenths => `import of ${path}: ${10 * tenths} %`), signal })
  })
  return folder
}
