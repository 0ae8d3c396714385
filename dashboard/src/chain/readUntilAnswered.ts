/** Wait before the second attempt; each later one is twice as long, up to the longest. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** Wait before an answer is read again: what changes it may come in bursts. */
const AGAIN_MS = 2_000

/** A value that is read until there is an answer, and again on demand. */
export interface Reading {
  /** Reads again soon: once for any number of demands, and only after a running read has ended. */
  again: () => void
  stop: () => void
}

/**
 * Reads until there is an answer: a chain or server that fails is asked again, so that a page completes after an outage.
 *
 * @param onAnswer - called once, unless an answer is doubtful or read again, and not after it was stopped.
 * @param isDoubtful - whether to read again although there is an answer.
 */
export function keepReading<T>(
  read: () => Promise<T>,
  onAnswer: (answer: T) => void,
  isDoubtful: (answer: T) => boolean = () => false,
): Reading {
  let [isStopped, isReading, isDemanded] = [false, false, false]
  let timer: ReturnType<typeof setTimeout> | undefined
  function wait(ms: number, nextMs: number): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(attempt, ms, nextMs)
  }
  function attempt(waitMs: number): void {
    isReading = true
    isDemanded = false
    const end = (isAnswered: boolean): void => {
      isReading = false
      if (isDemanded) wait(AGAIN_MS, FIRST_WAIT_MS)
      else if (!isAnswered) wait(waitMs, Math.min(2 * waitMs, LONGEST_WAIT_MS))
    }
    read().then(
      answer => {
        if (isStopped) return
        onAnswer(answer)
        end(!isDoubtful(answer))
      },
      () => end(false),
    )
  }
  attempt(FIRST_WAIT_MS)
  return {
    again() {
      if (isDemanded) return
      isDemanded = true
      if (!isReading) wait(AGAIN_MS, FIRST_WAIT_MS)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/**
 * Reads once until there is an answer.
 *
 * @param onAnswer - called once, and not after it was stopped.
 * @returns stops it.
 */
export function readUntilAnswered<T>(read: () => Promise<T>, onAnswer: (answer: T) => void): () => void {
  return keepReading(read, onAnswer).stop
}
