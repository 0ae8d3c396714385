import type { LoadOptions } from '#model/generation/loadGenerator.ts'
import type { Values } from '../command.ts'
import { showShare } from '../showShare.ts'
import { untilInterrupted } from '../untilInterrupted.ts'

/** Where quantised copies are kept, with progress on stderr while one is made, and an end by Ctrl-C that leaves none half-made. */
export function copyOptions({ cache }: Values): Pick<LoadOptions, 'cacheFolder' | 'onProgress' | 'signal'> {
  return {
    cacheFolder: typeof cache === 'string' ? cache : undefined,
    onProgress: showShare(tenths => `quantised copy: ${10 * tenths} %`),
    signal: untilInterrupted(),
  }
}
