/** Wait before the second attempt; each later one is twice as long, up to the longest. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Reads until there is an answer: a chain or server that fails is asked again, so that a page completes after an outage.
 *
 * @param onAnswer - called once, unless an answer is doubtful, and not after it was stopped.
 * @param isDoubtful - whether to read again although there is an answer.
 * @returns stops it.
 */
export function readUntilAnswered<T>(
  read: () => Promise<T>,
  onAnswer: (answer: T) => void,
  isDoubtful: (answer: T) => boolean = () => false,
): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  function attempt(waitMs: number): void {
    const again = (): void => {
      if (!isStopped) timer = setTimeout(attempt, waitMs, Math.min(2 * waitMs, LONGEST_WAIT_MS))
    }
    read().then(answer => {
      if (isStopped) return
      onAnswer(answer)
      if (isDoubtful(answer)) again()
    }, again)
  }
  attempt(FIRST_WAIT_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
