import { mean } from '#base/mean.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'

/** Largest rounding error of the log-probability of a certain token. */
const ROUNDING_NATS = 1e-3

/** Claims are absurd where an honest peer would make them with a probability of at most exp of minus this. */
const UNLIKELY_NATS = 25

/**
 * Reason why the claimed log-probabilities of a group are impossible; null if they are possible.
 *
 * For any policy, a sample of n tokens is less likely than V^-n exp(-c) with a probability of at most exp(-c), since there are no more than V^n of
 * them. Each token and each completion has to meet this bound.
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

/** Limit of nats per token, as a multiple of those of the own answers. Answers to another prompt have eight times as many, those of other policies twice as many. */
const MOST_TIMES = 3

/** Minimum of nats per token for the own answers: otherwise a very certain policy would refuse everybody. */
const LEAST_NATS = 0.1

/** Maximum of nats per token for samples of a policy like the one that gave the own answers; null without own answers. */
export const mostNatsOf = (own: readonly CheckedGroup[]): number | null =>
  own.length > 0 ? MOST_TIMES * Math.max(LEAST_NATS, natsOf(own)) : null

/**
 * Whether answers are, by their claims, less likely than any samples of a policy like the own one. Answers to another prompt are, unless their claims
 * are too high; then they have no weight but that of their importance.
 */
export function areUnlikely(groups: readonly CheckedGroup[], own: readonly CheckedGroup[]): boolean {
  const most = mostNatsOf(own)
  return most !== null && natsOf(groups) > most
}

/** Mean nats per token over answers, without empty ones: with them, a group with one unlikely answer would seem likely. */
function natsOf(groups: readonly CheckedGroup[]): number {
  const claims = groups.flatMap(({ rollouts }) => rollouts.map(({ logprobs }) => logprobs))
  return mean(claims.filter(({ length }) => length > 0).map(logprobs => -mean([...logprobs])))
}

const ABSURD = 'claimed log-probabilities are below what any sampler would draw'
