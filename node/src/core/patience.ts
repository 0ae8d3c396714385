import { NodeError } from '#base/errors.ts'
import type { Clock } from './clock.ts'

/** An endpoint or an index answers so slowly that a command would take hours. */
export class TooSlowError extends NodeError {
  override readonly code = 'TOO_SLOW'
}

/**
 * A command's patience with servers, with each its own: of two endpoints a slow one uses up nothing of the other's. An answer within
 * {@link QUICK_MS} costs nothing, so a long audit over a fast endpoint is not limited. Of calls that wait side by side, the time without any
 * answer counts once.
 */
export type Patience = {
  /** Time that slow answers of one server may take. */
  limitMs: number
  /**
   * @param server - origin of a URL, for people.
   * @param what - of the call, such as `eth_getLogs`.
   * @param work - its signal aborts once the limit is used up. Work with a shorter limit of its own needs none.
   * @throws {TooSlowError} once slow answers have used up the limit.
   */
  waitFor<T>(server: string, what: string, work: (used: AbortSignal) => Promise<T>): Promise<T>
  /** Says a line about the progress of long work, at most every {@link PROGRESS_MS}. */
  progress(line: string): void
}

/** Answers of a public endpoint take up to some seconds. */
const QUICK_MS = 2_000
/** Time spent on slow answers at which a command says what it waits for; then at twice the time, and so on. */
const FIRST_SAID_MS = 8_000
/** Time without a word after which a command says how far it is. */
const PROGRESS_MS = 10_000

/** @param limitMs - time spent on slow answers of a server, after which calls to it end. */
export function createPatience(limitMs: number, clock: Clock, say: (line: string) => void): Patience {
  const byServer = new Map<string, ReturnType<typeof patienceWith>>()
  let saidMs = clock.nowMs()
  return {
    limitMs,
    progress(line) {
      if (clock.nowMs() - saidMs < PROGRESS_MS) return
      saidMs = clock.nowMs()
      say(line)
    },
    waitFor(server, what, work) {
      const known = byServer.get(server) ?? patienceWith(server, limitMs, clock, say)
      byServer.set(server, known)
      return known(what, work)
    },
  }
}

function patienceWith(server: string, limitMs: number, clock: Clock, say: (line: string) => void) {
  let waiting = 0
  let sinceMs = 0
  let spentMs = 0
  let sayAtMs = FIRST_SAID_MS
  const spent = () => spentMs + Math.max(0, clock.nowMs() - sinceMs - QUICK_MS)

  function sayIfLate(what: string): void {
    const nowMs = spent()
    if (nowMs < sayAtMs) return
    sayAtMs = 2 * nowMs
    say(
      `Waiting for ${server} (${what}): its slow answers have taken ${inSeconds(nowMs)} of at most ${inSeconds(limitMs)}.`,
    )
  }

  const tooSlow = () =>
    new TooSlowError(`${server} answers too slowly: waiting for it took more than ${inSeconds(limitMs)}.`, {
      hint: 'Try again later, name another URL, or allow more seconds with WAGGLE_PATIENCE.',
      retryable: true,
    })

  return async <T>(what: string, work: (used: AbortSignal) => Promise<T>): Promise<T> => {
    if (spentMs >= limitMs) throw tooSlow()
    if (waiting === 0) sinceMs = clock.nowMs()
    waiting += 1
    const [answered, used] = [new AbortController(), new AbortController()]
    const leftMs = sinceMs + QUICK_MS + limitMs - spentMs - clock.nowMs()
    clock.sleep(Math.max(0, leftMs), answered.signal).then(
      () => used.abort(),
      () => {},
    )
    const late = clock.sleep(Math.max(0, sayAtMs - spentMs) + QUICK_MS, answered.signal)
    late.then(
      () => sayIfLate(what),
      () => {},
    )
    const [result] = await Promise.allSettled([work(used.signal)])
    answered.abort()
    sayIfLate(what)
    waiting -= 1
    spentMs = spent()
    sinceMs = clock.nowMs()
    if (spentMs >= limitMs) throw tooSlow()
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
}

const inSeconds = (ms: number) => `${Math.round(ms / 1000)} s`
