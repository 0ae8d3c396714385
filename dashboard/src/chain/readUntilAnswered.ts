/** Wait before the second attempt; each later one is twice as long, up to the longest. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Reads until there is an answer: a chain or server that fails is asked again, so that a page completes after an outage.
 *
 * @param onAnswer - called once, and not after it was stopped.
 * @returns stops it.
 */
export function readUntilAnswered<T>(read: () => Promise<T>, onAnswer: (answer: T) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  function attempt(waitMs: number): void {
    read().then(
      answer => {
        if (!isStopped) onAnswer(answer)
      },
      () => {
        if (!isStopped) timer = setTimeout(attempt, waitMs, Math.min(2 * waitMs, LONGEST_WAIT_MS))
      },
    )
  }
  attempt(FIRST_WAIT_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
