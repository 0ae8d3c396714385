/** Those that are asked, in this order. Waggle's answers on the GPU are what a run is for. Torch's, then the CPU's, are what they are compared with. */
export type Answerer = 'own' | 'torch' | 'cpu'

interface Share {
  /** Most seconds of one answer. */
  readonly mostSec: number
  /** Seconds that each later question keeps, whatever the earlier ones take. */
  readonly leastSec: number
  /** Questions of a whole run. */
  readonly questions: number
  /** Seconds after the begin of the run from which no answer is waited for. */
  readonly endsSec: number
}

/** Ten minutes, less what ends a run: a process that is killed, and the last rows that are written. */
export const shares: Readonly<Record<Answerer, Share>> = {
  own: { mostSec: 90, leastSec: 15, questions: 11, endsSec: 330 },
  // One of them is whether there is torch. Its import alone takes 20 s from a cold disk.
  torch: { mostSec: 80, leastSec: 20, questions: 8, endsSec: 500 },
  cpu: { mostSec: 400, leastSec: 15, questions: 4, endsSec: 565 },
}

/**
 * Seconds for which an answer is waited for; 0 if there are none left.
 *
 * @param elapsedSec - since the run began.
 * @param asked - questions before this one to the same.
 */
export function limitSec(answerer: Answerer, elapsedSec: number, asked: number): number {
  const { mostSec, leastSec, questions, endsSec } = shares[answerer]
  const left = endsSec - elapsedSec
  const kept = leastSec * Math.max(0, questions - asked - 1)
  return Math.max(0, Math.min(mostSec, left, Math.max(leastSec, left - kept)))
}
