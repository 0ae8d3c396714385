import { mean } from '#base/mean.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'

/** What rounding may add to the log-probability of a certain token. */
const ROUNDING_NATS = 1e-3

/** Claims are absurd where an honest peer would make them with a probability of at most exp of minus this. */
const UNLIKELY_NATS = 25

/**
 * Why the claimed log-probabilities of a group are impossible; null if they are possible.
 *
 * Whatever the policy, a sample of n tokens is less likely than V^-n exp(-c) with a probability of at most exp(-c), since there are
 * no more than V^n of them: each token is held to that, and each completion.
 *
 * @param vocabSize - V.
 */
export function faultOfClaims({ rollouts }: CheckedGroup, vocabSize: number): string | null {
  const chance = Math.log(vocabSize)
  for (const { logprobs } of rollouts) {
    let total = 0
    for (const logprob of logprobs) {
      if (!Number.isFinite(logprob)) return 'a claimed log-probability is not finite'
      if (logprob > ROUNDING_NATS) return 'a claimed log-probability is positive'
      if (logprob < -(chance + UNLIKELY_NATS)) return ABSURD
      total += logprob
    }
    if (total < -(logprobs.length * chance + UNLIKELY_NATS)) return ABSURD
  }
  return null
}

/** Times as many nats a token as in the own answers: other answers put under a prompt have eight times as many, those of other policies twice. */
const MOST_TIMES = 3

/** Nats a token that the own answers are taken to have at least: a policy that is sure of itself would leave everybody out. */
const LEAST_NATS = 0.1

/**
 * Whether answers are less likely, by what is claimed of them, than any that a policy like the own one samples. Answers that were put under a
 * prompt are, unless more is claimed of them than is true; then the importance ratio leaves them no weight.
 */
export function areUnlikely(groups: readonly CheckedGroup[], own: readonly CheckedGroup[]): boolean {
  return own.length > 0 && natsOf(groups) > MOST_TIMES * Math.max(LEAST_NATS, natsOf(own))
}

/** Mean over answers of the nats a token. Empty ones say nothing: a group of them and of one unlikely answer would seem likely. */
function natsOf(groups: readonly CheckedGroup[]): number {
  const claims = groups.flatMap(({ rollouts }) => rollouts.map(({ logprobs }) => logprobs))
  return mean(claims.filter(({ length }) => length > 0).map(logprobs => -mean([...logprobs])))
}

const ABSURD = 'claimed log-probabilities are below what any sampler would draw'
