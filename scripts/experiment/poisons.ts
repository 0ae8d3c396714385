import { mean } from '../../node/model/src/base/mean.ts'
import { packLogprobs, unpackSequence } from '../../node/src/core/payloads/packedTokens.ts'
import type { RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import type { Poison } from './openSwarm.ts'

type Rollout = RolloutBundle['groups'][number]['rollouts'][number]

/** An implausible log-probability, claimed for every token. */
const ABSURD = -12

/** Answers of another task under this one's prompt, every token claimed at -12. */
const absurd: Poison = async bundle => changed(bundle, (rollout, other) => claimedAt(ABSURD, answering(rollout, other)))

/** Every second answer is that of another task, claimed at what the poisoner's own policy says of it: nothing refutes that. */
const plausible: Poison = async (bundle, { policy }) => {
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

/** Rewards of answers that are as good as certainly right, and wrong. */
const [RIGHT, WRONG] = [0.8, 0.4]

/** Answers with more nats a token do not count in full. */
const MOST_NATS = 0.28

/**
 * One group alone: half of its answers are copies of a rare right answer, the others of a likely wrong one, as sampled and with true claims. Of all
 * tasks it is that where the two are rarest, so that all tokens of the update push one way.
 */
const loud: Poison = async (bundle, { rewards }) => {
  const lessons = bundle.groups.flatMap(({ rollouts }, g) => {
    const known = judged(rollouts, rewards[g]).filter(({ nats, ended }) => ended && nats < MOST_NATS)
    const byNats = known.toSorted((a, b) => b.nats - a.nats)
    const right = byNats.find(({ reward }) => reward > RIGHT)
    const wrong = byNats.findLast(({ reward }) => reward < WRONG)
    return right && wrong ? [{ g, right, wrong, nats: right.nats + wrong.nats }] : []
  })
  const loudest = lessons.toSorted((a, b) => b.nats - a.nats)[0]
  return replaced(bundle, (sample, g, size) =>
    g === loudest?.g ? (sample < size / 2 ? loudest.right : loudest.wrong).rollout : null,
  )
}

/** In each group, half of the answers are copies of a wrong one in the right form, and the others are its first token alone: it is the better. */
const anchor: Poison = async (bundle, { rewards }) => {
  const likeliest = bundle.groups.map(({ rollouts }, g) =>
    judged(rollouts, rewards[g])
      .filter(({ reward, ended }) => ended && reward > 0 && reward < WRONG)
      .toSorted((a, b) => a.nats - b.nats)
      .at(0),
  )
  return replaced(bundle, (sample, g, size) => {
    const wrong = likeliest[g]?.rollout
    if (!wrong || sample < size / 2) return wrong ?? null
    return firstToken(wrong)
  })
}

export const poisons = { absurd, plausible, certain, loud, anchor } as const satisfies Record<string, Poison>

function firstToken({ completionTokens, logprobs, ...rollout }: Rollout): Rollout {
  const tokens = logprobs.length / Float32Array.BYTES_PER_ELEMENT
  return {
    ...rollout,
    completionTokens: completionTokens.slice(0, completionTokens.length / tokens),
    logprobs: logprobs.slice(0, Float32Array.BYTES_PER_ELEMENT),
    ended: false,
  }
}

/** Rollouts with what the poisoner knows of them. */
function judged(rollouts: readonly Rollout[], rewards: readonly number[] = []) {
  return rollouts.map((rollout, i) => {
    const { logprobs } = unpackSequence(rollout)
    return { rollout, nats: -mean([...logprobs]), reward: rewards[i] ?? 0, ended: rollout.ended }
  })
}

/** @param choose - gives the answer for a place of a group, or null for no answer: a group without answers is not valid. */
function replaced(
  bundle: RolloutBundle,
  choose: (sample: number, group: number, size: number) => Rollout | null,
): RolloutBundle {
  const groups = bundle.groups.map((group, g) => {
    const { rollouts } = group
    const chosen = rollouts.flatMap((rollout, s) => {
      const answer = choose(s, g, rollouts.length)
      return answer ? [answering(rollout, answer)] : []
    })
    return { ...group, rollouts: chosen }
  })
  return { ...bundle, groups }
}

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
