/** Log-probabilities that a model gives to a question's choices, and the right choice. */
export type ReadQuestion = {
  /** Summed log-probabilities, one a choice, in natural-log units. */
  readonly logprobs: readonly number[]
  readonly answer: number
}

/** Slope for a model that was not measured: its beliefs count for little. */
const CAUTIOUS_SLOPE = 0.25
/** Pulls towards the cautious slope, as much as a few questions pull away from it. */
const RIDGE = 0.5
const [LEAST_SLOPE, MOST_SLOPE] = [0, 4]
const STEPS = 60

/**
 * Probabilities of the choices: softmax(slope * logprobs), each choice as likely as another before.
 *
 * @param logprobs - summed log-probabilities of the same evidence under each choice, or of each choice after the evidence.
 * @param slope - 1 takes the model at its word; below, it is less sure than it says.
 * @returns one a choice, summing to 1.
 */
export function beliefOf(logprobs: readonly number[], slope: number): number[] {
  const most = Math.max(...logprobs)
  const odds = logprobs.map(logprob => Math.exp(slope * (logprob - most)))
  const sum = odds.reduce((total, one) => total + one, 0)
  return odds.map(one => one / sum)
}

/**
 * The slope under which the right choices of measured questions are likeliest (temperature scaling), found by golden section: the loss is convex
 * in it.
 *
 * @see Guo et al., On Calibration of Modern Neural Networks, arXiv:1706.04599 section 4.2.
 */
export function fitSlope(measured: readonly ReadQuestion[]): number {
  const loss = (slope: number) =>
    measured.reduce((sum, { logprobs, answer }) => sum - Math.log(beliefOf(logprobs, slope)[answer] || 1e-300), 0) +
    RIDGE * (slope - CAUTIOUS_SLOPE) ** 2
  const golden = (Math.sqrt(5) - 1) / 2
  let [low, high] = [LEAST_SLOPE, MOST_SLOPE]
  for (let step = 0; step < STEPS; step++) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)]
    if (loss(left) < loss(right)) high = right
    else low = left
  }
  return (low + high) / 2
}
