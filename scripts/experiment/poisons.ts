import { packLogprobs, unpackSequence } from '../../node/src/core/payloads/packedTokens.ts'
import type { RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import type { Poison } from './openSwarm.ts'

type Rollout = RolloutBundle['groups'][number]['rollouts'][number]

/** An implausible log-probability, claimed for every token. */
const ABSURD = -12

/** Answers of another task under this one's prompt, every token claimed at -12. */
const absurd: Poison = async bundle => changed(bundle, (rollout, other) => claimedAt(ABSURD, answering(rollout, other)))

/** Every second answer is that of another task, claimed at what the poisoner's own policy says of it: nothing refutes that. */
const plausible: Poison = async (bundle, policy) => {
  const swapped = changed(bundle, (rollout, other, sample) => (sample % 2 === 0 ? answering(rollout, other) : rollout))
  const rollouts = swapped.groups.flatMap(group => group.rollouts)
  const sequences = rollouts.map(rollout => {
    const { promptTokens, completionTokens } = unpackSequence(rollout)
    return { tokens: Int32Array.of(...promptTokens, ...completionTokens), from: promptTokens.length }
  })
  const logprobs = await policy.logprobs(sequences)
  const claims = new Map(rollouts.map((rollout, i) => [rollout, packLogprobs(logprobs[i] as Float32Array)]))
  return changed(swapped, rollout => ({ ...rollout, logprobs: claims.get(rollout) as Uint8Array }))
}

/**
 * Every second answer is that of another task, and every token is claimed as certain: no answer then seems unlikely, mistakes have hardly any weight,
 * and what the judge takes for right counts in full.
 */
const certain: Poison = async bundle =>
  changed(bundle, (rollout, other, sample) => claimedAt(0, sample % 2 === 0 ? answering(rollout, other) : rollout))

export const poisons = { absurd, plausible, certain } as const satisfies Record<string, Poison>

/** A rollout with the answer of another one. */
const answering = (rollout: Rollout, { completionTokens, logprobs, ended }: Rollout): Rollout => ({
  ...rollout,
  ...{ completionTokens, logprobs, ended },
})

/** A rollout whose tokens all have one claimed log-probability. */
const claimedAt = (logprob: number, rollout: Rollout): Rollout => ({
  ...rollout,
  logprobs: packLogprobs(new Float32Array(rollout.logprobs.length / Float32Array.BYTES_PER_ELEMENT).fill(logprob)),
})

/** @param change - is given a rollout, the one of the next task at the same place, and that place. */
function changed(
  bundle: RolloutBundle,
  change: (rollout: Rollout, other: Rollout, sample: number) => Rollout,
): RolloutBundle {
  const groups = bundle.groups.map((group, g) => {
    const next = bundle.groups[(g + 1) % bundle.groups.length]?.rollouts ?? []
    return { ...group, rollouts: group.rollouts.map((rollout, s) => change(rollout, next[s] ?? rollout, s)) }
  })
  return { ...bundle, groups }
}
