import type { LoadOptions } from '#model/generation/loadGenerator.ts'
import { showShare } from '../showShare.ts'
import { untilInterrupted } from '../untilInterrupted.ts'

type CopyOptions = Pick<LoadOptions, 'cacheFolder' | 'onProgress' | 'signal'>

/** Folder for quantised copies, with progress on stderr, and a signal by which Ctrl-C leaves no partial copy. */
export function copyOptions({ cache }: { cache?: string | undefined }): CopyOptions {
  return {
    cacheFolder: cache,
    onProgress: showShare(tenths => `quantised copy: ${10 * tenths} %`),
    signal: untilInterrupted(),
  }
}
