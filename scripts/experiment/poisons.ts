import type { RolloutBundle } from '../../node/src/core/bodies.ts'
import { packLogprobs } from '../../node/src/core/packedTokens.ts'
import type { Poison } from './openSwarm.ts'

type Rollout = RolloutBundle['groups'][number]['rollouts'][number]

/** What is claimed of every token by who does not care whether it could be true. */
const ABSURD = -12

/** Answers of another task under this one's prompt, every token claimed at -12: an attack that wrecked solvers that believed it. */
const absurd: Poison = bundle =>
  changed(bundle, (rollout, wrong) => claimed({ ...rollout, ...answerOf(wrong) }, ABSURD))

/**
 * The most that claims which could be true can do: every second answer is wrong and claims the probability of a blind guess, which
 * gives its tokens the largest weight; the others claim certainty, which gives theirs the smallest.
 */
const possible: Poison = (bundle, vocabSize) =>
  changed(bundle, (rollout, wrong, sample) =>
    sample % 2 === 0 ? claimed({ ...rollout, ...answerOf(wrong) }, -Math.log(vocabSize)) : claimed(rollout, 0),
  )

export const poisons = { absurd, possible } as const satisfies Record<string, Poison>

/** @param change - is given a rollout, the one of the next task at the same place, and that place. */
function changed(
  bundle: RolloutBundle,
  change: (rollout: Rollout, wrong: Rollout, sample: number) => Rollout,
): RolloutBundle {
  const groups = bundle.groups.map((group, g) => {
    const next = bundle.groups[(g + 1) % bundle.groups.length]?.rollouts ?? []
    return { ...group, rollouts: group.rollouts.map((rollout, s) => change(rollout, next[s] ?? rollout, s)) }
  })
  return { ...bundle, groups }
}

const answerOf = ({ completionTokens, logprobs, ended }: Rollout) => ({ completionTokens, logprobs, ended })

function claimed(rollout: Rollout, logprob: number): Rollout {
  return { ...rollout, logprobs: packLogprobs(new Float32Array(rollout.logprobs.length / 4).fill(logprob)) }
}
