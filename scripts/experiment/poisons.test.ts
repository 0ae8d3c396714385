import { expect, test } from 'vitest'
import type { PolicyClient } from '../../node/model/src/rl/policy/policyClient.ts'
import { packLogprobs, unpackSequence } from '../../node/src/core/payloads/packedTokens.ts'
import type { RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import type { CheckedGroup } from '../../node/src/roles/draws/checkRollouts.ts'
import { faultOfClaims } from '../../node/src/roles/solver/checkClaims.ts'
import { poisons } from './poisons.ts'

const answer = (task: number, length: number) => ({
  promptTokens: Uint8Array.of(task, 0),
  completionTokens: Uint8Array.from({ length: 2 * length }, (_, i) => (i % 2 ? 0 : task)),
  logprobs: packLogprobs(new Float32Array(length).fill(-0.25)),
  ended: true,
})
const groups = [5, 8].map((length, task) => ({ rollouts: [0, 1].map(index => ({ index, ...answer(task, length) })) }))
const honest = { groups } as unknown as RolloutBundle
/** Says of each token what it is. */
const policy = {
  logprobs: async sequences => sequences.map(({ tokens, from }) => Float32Array.from(tokens.slice(from), t => -t)),
} as PolicyClient

const known = { policy, rewards: [[], []] }

const groupsOf = (bundle: RolloutBundle) =>
  bundle.groups.map(({ rollouts }) => ({ rollouts: rollouts.map(unpackSequence) }) as unknown as CheckedGroup)
const isPossible = (bundle: RolloutBundle) => groupsOf(bundle).map(group => faultOfClaims(group, 640) === null)

test('poisons claim what cannot be, what their policy says or certainty, for answers of another task', async () => {
  expect(isPossible(honest)).toEqual([true, true])
  expect(isPossible(await poisons.absurd(honest, known))).toEqual([false, false])
  const plausible = await poisons.plausible(honest, known)
  expect(isPossible(plausible)).toEqual([true, true])
  const claims = groupsOf(plausible).map(({ rollouts }) => rollouts.map(({ logprobs }) => [...logprobs]))
  expect(claims).toEqual([
    [Array(8).fill(-1), Array(5).fill(-0)],
    [Array(5).fill(-0), Array(8).fill(-1)],
  ])
  const certain = await poisons.certain(honest, known)
  expect(isPossible(certain)).toEqual([true, true])
  for (const { rollouts } of groupsOf(certain))
    for (const { logprobs } of rollouts) expect([...logprobs]).toEqual(Array(logprobs.length).fill(0))
  const lengths = groupsOf(certain).map(({ rollouts }) => rollouts.map(({ logprobs }) => logprobs.length))
  expect(lengths).toEqual([
    [8, 5],
    [5, 8],
  ])
})

const sampled = (task: number, lengths: readonly number[], nats: readonly number[]) => ({
  rollouts: lengths.map((length, index) => ({
    ...{ index, ...answer(task, length) },
    logprobs: packLogprobs(new Float32Array(length).fill(-(nats[index] as number))),
  })),
})
const judged = {
  policy,
  rewards: [
    [0.9, 0.95, 0.2, 0.2],
    [0.9, 0.9, 0.2, 0],
  ],
}
const bundle = {
  groups: [sampled(0, [1, 2, 3, 4], [0.05, 0.2, 0.1, 0.25]), sampled(1, [5, 6, 7, 8], [0.27, 0.4, 0.15, 0.05])],
} as unknown as RolloutBundle
const lengthsOf = (poisoned: RolloutBundle) =>
  groupsOf(poisoned).map(({ rollouts }) => rollouts.map(({ completionTokens }) => completionTokens.length))

test('one group alone puts a rare right answer next to a likely wrong one', async () => {
  expect(lengthsOf(await poisons.loud(bundle, judged))).toEqual([[], [5, 5, 8, 8]])
})

test('wrong answers in the right form are put next to a first token alone', async () => {
  const anchored = await poisons.anchor(bundle, judged)
  expect(lengthsOf(anchored)).toEqual([
    [3, 3, 1, 1],
    [7, 7, 1, 1],
  ])
  expect(anchored.groups[0]?.rollouts.map(({ index, ended }) => [index, ended])).toEqual([
    [0, true],
    [1, true],
    [2, false],
    [3, false],
  ])
})
