import type { Clock } from '#core/clock.ts'

/**
 * The result of one of several sources of the same bytes: the bytes, or the failures.
 *
 * @param onFailed - to call if it has failed and will try again: the next source does not wait for that.
 */
export type Source<Failure> = (signal: AbortSignal, onFailed: () => void) => Promise<Uint8Array | Failure[]>

/**
 * Tries several sources of the same bytes. The next one starts when one has failed, or `everyMs` after the last start, so that a slow
 * peer does not delay the others. The first success cancels the rest.
 *
 * @returns the bytes, or the failures of all sources, in order.
 */
export async function raceSources<Failure>(
  sources: readonly Source<Failure>[],
  { everyMs, clock }: { everyMs: number; clock: Clock },
  signal: AbortSignal,
): Promise<Uint8Array | Failure[]> {
  const failures: Failure[][] = []
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const { promise: arrived, resolve, reject } = Promise.withResolvers<Uint8Array | Failure[]>()
  let begun = 0
  let running = 0

  async function go(source: Source<Failure>, at: number): Promise<void> {
    let hasFailed = false
    const onFailed = () => {
      if (!hasFailed) next()
      hasFailed = true
    }
    const result = await source(until, onFailed)
    running -= 1
    if (result instanceof Uint8Array) return resolve(result)
    failures[at] = result
    onFailed()
    if (running === 0) resolve(failures.flat())
  }

  function next(): void {
    const [source, at] = [sources[begun], begun]
    if (source === undefined) return
    begun += 1
    running += 1
    go(source, at).catch(reject)
    clock.sleep(everyMs, until).then(
      () => {
        if (begun === at + 1) next()
      },
      () => undefined,
    )
  }

  next()
  try {
    return await arrived
  } finally {
    ended.abort()
  }
}
